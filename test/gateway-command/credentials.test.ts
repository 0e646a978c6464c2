/** Credentials of a merchant at a processor, on a real MongoDB: no command loses credentials that payments need. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { credentials } from '../../scripts/gateway/commands/credentials.js';
import { exitCodes } from '../../scripts/gateway/run.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { watchRefund } from '../../shared/domain/payment/plan-refund-check.js';
import { planLateApproval } from '../../shared/domain/payment/plan-reversal.js';
import { credentialNamesOf, isProcessorCode } from '../../shared/processors/capabilities.js';
import { soundSettings } from '../config/spawn-entry.js';
import {
  approvedPayment,
  authorizedPayment,
  createdPayment,
  firstTx,
  later,
  start,
} from '../domain/payment/a-payment.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
let folder: string;
let clientId: string;
let merchantId: number;
beforeAll(async () => {
  operator = await openOperator('credentials', soundSettings());
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  ({ clientId } = await operator.json('clients create --name Shop'));
  ({ merchantId } = await operator.json(`merchants create --client-id ${clientId} --name Shop`));
});
afterAll(async () => {
  await operator.close();
  await rm(folder, { recursive: true, force: true });
});

test('credentials that payments need are removed only with --force', async () => {
  const { gateway, json, database } = operator;
  const file = join(folder, 'stripe.json');
  await writeFile(file, JSON.stringify({ secretKey: 'sk_test_1', webhookSecret: 'whsec_1' }));
  const first = await gateway(`credentials set ${merchantId} stripe --file ${file}`);
  expect([first.code, first.out]).toEqual([0, expect.not.stringMatching(/Payments that go on/)]);
  const at = { merchantId, processor: 'stripe' };
  const payments = [
    createdPayment(at),
    authorizedPayment(at),
    approvedPayment(at),
    createdPayment({ ...at, merchantId: merchantId + 1 }),
    createdPayment({ ...at, processor: 'adyen' }),
  ];
  await database.collection<Payment>('payments').insertMany(payments);

  const refused = await gateway(`credentials remove ${merchantId} stripe`);
  expect([refused.code, refused.err]).toEqual([exitCodes.refused, expect.stringMatching(/at stripe: 2\. .*--force/)]);
  expect(await json(`credentials list ${merchantId}`)).toMatchObject([{ processor: 'stripe' }]);
  const again = await gateway(`credentials set ${merchantId} stripe --file ${file}`);
  expect([again.code, again.out]).toEqual([0, expect.stringMatching(/Payments that go on with them: 2\./)]);
  const removed = await gateway(`credentials remove ${merchantId} stripe --force`);
  // A process sends with the credentials as long as it keeps them in memory.
  expect([removed.code, removed.out]).toEqual([0, expect.stringMatching(/within a minute, and send with them until/)]);
  expect(removed.out).toContain(`Webhooks to /v1/processors/stripe/updates/${merchantId} get 401 from then on`);
  expect(await json(`credentials list ${merchantId}`)).toEqual([]);
});

test('credentials of another account are set over open payments only with --force', async () => {
  const { gateway, json, database } = operator;
  const stripe = join(folder, 'own.json');
  await writeFile(stripe, JSON.stringify({ secretKey: 'sk_test_1', webhookSecret: 'whsec_1' }));
  const other = await json(`merchants create --client-id ${clientId} --name Other`);
  const id: number = other.merchantId;
  const payments = ['stripe', 'adyen'].map((processor) => authorizedPayment({ merchantId: id, processor }));
  await database.collection<Payment>('payments').deleteMany({});
  await database.collection<Payment>('payments').insertMany(payments);

  const refused = await gateway(`credentials set ${id} stripe --file ${stripe}`);
  expect([refused.code, refused.err]).toEqual([exitCodes.refused, expect.stringMatching(/at stripe: 1\. .*--force/)]);
  expect(await json(`credentials list ${id}`)).toEqual([]);
  const forced = await gateway(`credentials set ${id} stripe --file ${stripe} --force`);
  expect([forced.code, forced.out]).toEqual([0, expect.stringMatching(/Payments that go on with them: 1\./)]);
  // Without credentials nothing was sent to Adyen: there is no other account.
  const adyen = join(folder, 'adyen.json');
  await writeFile(adyen, JSON.stringify({ merchantAccount: 'Shop', apiKey: 'key', hmacKey: 'ab'.repeat(32) }));
  const given = await gateway(`credentials set ${id} adyen --file ${adyen}`);
  expect([given.code, given.out]).toEqual([0, expect.stringMatching(/Payments that go on with them: 1\./)]);
  // Open payments continue with a new key of the same account, but another account does not know them.
  const setAdyen = async (merchantAccount: string, more = '') => {
    await writeFile(adyen, JSON.stringify({ merchantAccount, apiKey: 'new key', hmacKey: 'cd'.repeat(32) }));
    return gateway(`credentials set ${id} adyen --file ${adyen}${more}`);
  };
  expect((await setAdyen('Shop')).code).toBe(0);
  const moved = await setAdyen('Another');
  expect([moved.code, moved.err]).toEqual([exitCodes.refused, expect.stringMatching(/at adyen: 1\. .*--force/)]);
  expect((await setAdyen('Another', ' --force')).code).toBe(0);
});

test('credentials are kept while a reversal at a left route or a possible return of a refund needs them', async () => {
  const { gateway, database } = operator;
  const file = join(folder, 'left.json');
  await writeFile(file, JSON.stringify({ secretKey: 'sk_test_1', webhookSecret: 'whsec_1' }));
  const payments = database.collection<Payment>('payments');
  await payments.deleteMany({});
  await gateway(`credentials set ${merchantId} stripe --file ${file}`);
  const stripe = { processor: 'stripe', acquirer: 'stripe' };
  const moved = approvedPayment({ merchantId, processor: 'adyen' });
  const left = { ...firstTx(moved), id: 'txn_left', status: 'failed', leftRoute: stripe } as const;
  const takenBack = planLateApproval({ ...moved, transactions: [left, ...moved.transactions] }, left.id, start);
  const refunded = watchRefund(approvedPayment({ merchantId, ...stripe }), 'txn_refund', start, [10_000]);
  const over = { ...authorizedPayment({ merchantId, processor: 'adyen' }), transactions: [left] };
  const sold = createdPayment({ merchantId, processor: 'adyen', createdAt: later(1) });
  for (const [one, count] of [
    [takenBack, 1],
    [refunded, 1],
    [over, 0],
    [sold, 0],
  ] as const) {
    await payments.insertOne(one);
    const { code, err } = await gateway(`credentials remove ${merchantId} stripe`);
    const expected = count === 0 ? [0, ''] : [exitCodes.refused, expect.stringMatching(/at stripe: 1\. /)];
    expect([code, err]).toEqual(expected);
    await payments.deleteMany({});
    await gateway(`credentials set ${merchantId} stripe --file ${file}`);
  }
});

test('examples of the commands name processors that take credentials', () => {
  const printed = credentials.commands.flatMap(({ examples }) => examples).map((example) => example.split(' '));
  const processors = printed.flatMap(([, verb, , processor = '']) => (verb === 'list' ? [] : [processor]));
  expect(processors.filter((code) => !isProcessorCode(code) || credentialNamesOf(code).length === 0)).toEqual([]);
  expect(processors.length).toBeGreaterThan(0);
});

test('an unknown processor is a usage error, and one without credentials a refusal', async () => {
  const { code, err } = await operator.gateway(`credentials remove ${merchantId} foo`);
  expect([code, err]).toEqual([exitCodes.usage, expect.stringMatching(/There is no processor "foo"/)]);
  const none = await operator.gateway(`credentials remove ${merchantId} adyen`);
  expect([none.code, none.err]).toEqual([exitCodes.refused, expect.stringMatching(/has no credentials at adyen/)]);
});

test.each([
  [
    'a file that is not there',
    async () => join(folder, 'none.json'),
    /none\.json cannot be read: there is no such file/,
  ],
  ['a folder', async () => folder, /cannot be read: it is a folder/],
  [
    'a file with something else in it',
    async () => {
      await writeFile(join(folder, 'else.json'), '{"secretKey"');
      return join(folder, 'else.json');
    },
    /else\.json is no file with JSON in it/,
  ],
])('%s is refused with the reason', async (_name, path, reason) => {
  const refused = await operator.gateway(`credentials set ${merchantId} stripe --file ${await path()}`);
  expect([refused.code, refused.err]).toEqual([exitCodes.refused, expect.stringMatching(reason)]);
});
