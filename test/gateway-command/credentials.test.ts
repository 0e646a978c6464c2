/** Credentials of a merchant at a processor, on a real MongoDB: those that payments need are not lost by a command. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exitCodes } from '../../scripts/gateway/run.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { soundSettings } from '../config/spawn-entry.js';
import { approvedPayment, authorizedPayment, createdPayment } from '../domain/payment/a-payment.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
let folder: string;
let merchantId: number;
beforeAll(async () => {
  operator = await openOperator('credentials', soundSettings());
  folder = await mkdtemp(join(tmpdir(), 'credentials-'));
  const { clientId } = await operator.json('clients create --name Shop');
  ({ merchantId } = await operator.json(`merchants create --client-id ${clientId} --name Shop`));
});
afterAll(async () => {
  await operator.close();
  await rm(folder, { recursive: true, force: true });
});

test('are not removed while payments need them, unless it is meant', async () => {
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
  await json(`credentials remove ${merchantId} stripe --force`);
  expect(await json(`credentials list ${merchantId}`)).toEqual([]);
});

test('at a processor that there is not are a mistake of writing', async () => {
  const { code, err } = await operator.gateway(`credentials remove ${merchantId} foo`);
  expect([code, err]).toEqual([exitCodes.usage, expect.stringMatching(/There is no processor "foo"/)]);
  const none = await operator.gateway(`credentials remove ${merchantId} adyen`);
  expect([none.code, none.err]).toEqual([exitCodes.refused, expect.stringMatching(/has no credentials at adyen/)]);
});
