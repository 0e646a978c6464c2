/** A merchant's credentials at a processor: sealed by a command, opened for adapters that declare them, never shown. */
import { limits } from '../../config/limits.js';
import { setProcessorCredentials } from '../../scripts/provisioning/processor-credentials.js';
import { checkAnswers } from '../../shared/processors/check-answers.js';
import type { AuthorizeRequest, Processor } from '../../shared/processors/processor.js';
import { createProcessorCredentialsRepository } from '../../shared/store/processor-credentials.repository.js';
import { openVault } from '../../shared/vault/open-vault.js';
import { withCredentials } from '../../workers/processor/with-credentials.js';
import { openPaymentStore, type PaymentStore } from '../store/payment-store.js';
import { passingTime } from '../support/passing-time.js';
import { fakeProcessor } from '../workers/processor/fake-processor.js';
import { keepingLog } from './keeping-log.js';
import { authorizeRequest, inquireRequest, reverseRequest } from './port-requests.js';

const SECRET = 'sk_live_never_shown';
const clock = { now: () => new Date() };
let store: PaymentStore;
const open = () => {
  const key = { id: 'k1', key: Buffer.alloc(32, 7) };
  const vault = openVault(store.database, { vaultMasterKeys: [key] } as never, clock);
  return { vault, credentials: createProcessorCredentialsRepository(store.database) };
};
beforeAll(async () => {
  store = await openPaymentStore('credentials');
});
afterAll(() => store?.close());

const environment = 'testing' as const;
const order = {
  clientId: 'cli_a',
  merchantId: 1,
  processor: 'fake',
  names: ['secretKey'],
  environment,
  now: new Date(),
};
const adapter = (): Processor & { readonly requests: readonly unknown[] } => {
  const fake = fakeProcessor();
  return Object.assign(checkAnswers({ ...fake, merchantCredentials: ['secretKey'] }, keepingLog()), {
    requests: fake.requests,
  });
};
const request = () => authorizeRequest('4242424242424242');

test('credentials are stored sealed, and reach the adapter with every request of their merchant', async () => {
  const deps = open();
  await setProcessorCredentials(deps, { ...order, values: { secretKey: SECRET } });
  const stored = await deps.credentials.find(1, 'fake');
  expect(stored).toMatchObject({ merchantId: 1, processor: 'fake', names: ['secretKey'] });
  expect(JSON.stringify([stored, await deps.credentials.list(1)])).not.toContain(SECRET);
  const processor = adapter();
  await withCredentials(deps, processor).authorize(request());
  expect((processor.requests[0] as AuthorizeRequest).merchant.credentials).toEqual({ secretKey: SECRET });
});

test('nothing is sent for a merchant without credentials, and the reason names no value', async () => {
  const deps = open();
  const processor = adapter();
  const asked = { ...request(), merchant: { id: 2, name: 'Shop' } };
  const given = withCredentials(deps, processor);
  expect(await given.authorize(asked)).toEqual({
    kind: 'not-sent',
    internal: 'merchant 2 has no credentials at fake',
    blocked: 'route',
  });
  const { merchant } = asked;
  expect(await given.inquire(inquireRequest('txn_1', { merchant }))).toMatchObject({ kind: 'no-answer' });
  expect(await given.reverse(reverseRequest('txn_1', { merchant }))).toMatchObject({ kind: 'no-answer' });
  expect(processor.requests).toEqual([]);
});

test('no operation that an adapter may have goes out without the credentials', async () => {
  const sent: unknown[] = [];
  const send = async (asked: { readonly merchant: object }) => void sent.push(asked.merchant);
  const optional = { capture: send, cancel: send, refund: send, verify: send, issueCode: send, findTransfers: send };
  const names = [...(Object.keys(optional) as (keyof typeof optional)[]), 'authorize', 'inquire', 'reverse'] as const;
  const all = { ...fakeProcessor(), ...optional, authorize: send, inquire: send, reverse: send };
  const given = withCredentials(open(), { ...all, merchantCredentials: ['secretKey'] } as unknown as Processor);
  const calls = given as unknown as Record<(typeof names)[number], typeof send>;
  const answers = [];
  for (const name of names) answers.push(await calls[name]({ merchant: { id: 2, name: 'Shop' } }));
  const internal = 'merchant 2 has no credentials at fake';
  const asks = ['findTransfers', 'inquire', 'reverse'];
  expect(answers).toEqual(
    names.map((name) =>
      asks.includes(name) ? { kind: 'no-answer', internal } : { kind: 'not-sent', internal, blocked: 'route' },
    ),
  );
  expect(sent).toEqual([]);
  for (const name of names) await calls[name]({ merchant: { id: 1, name: 'Shop' } });
  expect(sent).toEqual(names.map(() => ({ id: 1, name: 'Shop', credentials: { secretKey: SECRET } })));
});

test('nothing is sent when the credentials took longer than a claim allows to send', async () => {
  const time = passingTime();
  const { vault, credentials } = open();
  const find: typeof credentials.find = async (...of) => {
    time.by(limits.sendByMs);
    return credentials.find(...of);
  };
  const processor = adapter();
  try {
    const late = () => withCredentials({ vault, credentials: { find } }, processor);
    const internal = 'its credentials took too long to open';
    expect(await late().authorize(request())).toEqual({ kind: 'not-sent', internal, blocked: 'payment' });
    const { merchant } = request();
    expect(await late().inquire(inquireRequest('txn_1', { merchant }))).toEqual({ kind: 'no-answer', internal });
  } finally {
    time.giveBack();
  }
  expect(processor.requests).toEqual([]);
});

test('a merchant without credentials is served if the adapter can use those of the installation', async () => {
  const processor = adapter();
  const optional = { ...processor, merchantCredentialsOptional: true } as const;
  const asked = { ...request(), merchant: { id: 2, name: 'Shop' } };
  expect(await withCredentials(open(), optional).authorize(asked)).toMatchObject({ kind: 'approved' });
  expect((processor.requests[0] as AuthorizeRequest).merchant).toEqual({ id: 2, name: 'Shop' });
});

test('sealed credentials that were copied to another merchant do not open', async () => {
  const deps = open();
  const mine = await deps.credentials.find(1, 'fake');
  if (!mine) throw new Error('set by the first test');
  await deps.credentials.save({ ...mine, _id: '3:fake', merchantId: 3 });
  const result = await withCredentials(deps, adapter()).authorize({ ...request(), merchant: { id: 3, name: 'Shop' } });
  expect(result).toMatchObject({ kind: 'not-sent' });
});

test.each([
  [{}, /needs a text for secretKey/],
  [{ secretKey: 1 }, /needs a text for secretKey/],
  [{ secretKey: SECRET, other: SECRET }, /takes no other/],
  [[SECRET], /one JSON object/],
])('invalid values (%#) are refused, and the error does not quote them', async (values, message) => {
  const refused = await setProcessorCredentials(open(), { ...order, values }).catch((error: Error) => error);
  expect((refused as Error).message).toMatch(message);
  expect((refused as Error).message).not.toContain(SECRET);
});

test('an adapter that declares no credentials is not wrapped', () => {
  const plain = fakeProcessor();
  expect(withCredentials(open(), plain)).toBe(plain);
});
