/** What keeps an authorization from being sent, and what happens to one that may have been sent: result, log and metrics of each. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { VaultError } from '../../../shared/vault/vault-error.js';
import { type CardTesting, noCardTesting } from '../../../workers/processor/card-testing.js';
import type { ProcessorPoolDeps } from '../../../workers/processor/processor-pool.js';
import { createdPayment, firstTx } from '../../domain/payment/a-payment.js';
import { approved, declined, type FakeProcessor, fakeProcessor, found, noAnswer } from './fake-processor.js';
import { abandoned } from './pool-under-test.js';
import { accepted, sends, store, under, useStore } from './processor-suite.js';

useStore();
let lines: [message: string, reason: unknown][];
let counted: string[];
beforeEach(() => {
  [lines, counted] = [[], []];
});

/** Builds a pool that records its log and metrics. */
function pool(processor: FakeProcessor | undefined, more: Partial<ProcessorPoolDeps> = {}) {
  const bound = new Set<string>();
  const note = (message: string, fields: { reason?: unknown; error?: unknown } = {}) => {
    const { reason, error } = fields;
    lines.push([message, reason ?? (error as Error | undefined)?.name]);
    // Log collectors refuse a record that has the same name twice.
    expect(Object.keys(fields).filter((name) => bound.has(name))).toEqual([]);
  };
  const withFields = (fields: object) => {
    for (const name of Object.keys(fields)) bound.add(name);
    return log;
  };
  const log = { debug: note, info: note, warn: note, error: note, with: withFields };
  const made = under(processor, { log: log as never, ...more });
  const { metrics } = made.deps;
  Object.assign(metrics, {
    event: (event: string) => void counted.push(event),
    step: ({ outcome }: { outcome: string }) => void counted.push(outcome),
  });
  return made;
}
const vault = (open: () => Promise<Buffer>) =>
  ({ vault: { seal: async () => ({}), open } }) as unknown as Partial<ProcessorPoolDeps>;
const throwing = (error: Error) => vault(() => Promise.reject(error));
const tx = (payment: Payment) => firstTx(payment);

test.each([
  ['the vault has no key', throwing(new VaultError('key-missing' as never, 'no key')), 'VaultError'],
  [
    'the customer cannot be read',
    { customers: { find: () => Promise.reject(new Error('no primary')) } } as never,
    'RequestNotMadeError',
  ],
])('when %s, nothing is sent and the work is tried again', async (_what, more, name) => {
  const processor = fakeProcessor();
  const { step } = pool(processor, more);
  const payment = await step(await accepted({ customerId: 'cus_1' }));
  expect(payment).toMatchObject({ status: 'created', work: { kind: 'authorize', tries: 1 } });
  expect(payment.work?.attempt).toBeUndefined();
  expect([processor.calls, counted]).toEqual([[], ['not-sent']]);
  expect(lines).toEqual([
    ['processor.send-failed', name],
    ['processor.no-outcome', name],
  ]);
});

describe('a payment whose secret card data was destroyed before the send', () => {
  const sent = (source: string, more: object = {}) =>
    accepted({
      ...{ payerSecret: true, cvc: undefined, cvcDestroyAt: undefined, ...more },
      paymentMethod: { ...createdPayment().paymentMethod, source },
    } as never);

  test.each(['network-token', 'wallet-a-pay-token', 'wallet-b-pay-token'])(
    'a %s is not charged by its number alone',
    async (source) => {
      const processor = fakeProcessor();
      const { finish } = pool(processor);
      expect(await finish(await sent(source))).toMatchObject({
        status: 'failed',
        transactions: [{ status: 'failed' }],
      });
      expect(processor.calls).toEqual([]);
      expect(lines[0]).toEqual(['processor.send-failed', 'RequestNotMadeError']);
    },
  );

  test.each([
    ['a card whose cvc is gone', 'card', {}],
    ['a PAN-only credential that came without', 'wallet-a-pay-token', { payerSecret: undefined }],
    [
      'one that was authenticated since',
      'wallet-a-pay-token',
      { threeDs: { required: true, reason: 'always', status: 'authenticated' } },
    ],
  ])('%s is charged', async (_what, source, more) => {
    const processor = fakeProcessor({ send: [approved] });
    expect((await pool(processor).finish(await sent(source, more))).status).toBe('approved');
  });
});

test('a fault of ours after a possible send leads to an inquiry', async () => {
  const processor = fakeProcessor({
    send: [
      () => {
        throw new TypeError('a defect');
      },
    ],
  });
  const payment = await pool(processor).step(await accepted());
  expect(payment).toMatchObject({ status: 'pending', work: { kind: 'inquire' } });
  expect(counted).toEqual(['unknown']);
  expect(lines).toEqual([
    ['processor.send-failed', 'TypeError'],
    ['processor.no-outcome', 'TypeError'],
  ]);
});

test('an envelope that was changed fails the payment at once with an alert, because no retry would help', async () => {
  const processor = fakeProcessor();
  const tampered = new VaultError('envelope-invalid', 'it does not open');
  const payment = await pool(processor, throwing(tampered)).step(await accepted());
  expect(payment).toMatchObject({
    status: 'failed',
    transactions: [{ resultCode: '96', resultMessage: 'Not sent: the sealed card was changed' }],
    alerts: [{ text: expect.stringContaining('the sealed card does not open') }],
  });
  expect(processor.calls).toEqual([]);
  expect(counted).toEqual(expect.arrayContaining(['envelope-tampered', 'work-flagged', 'failed']));
  expect(lines.map(([message]) => message)).toContain('vault.envelope-tampered');
});

test('a saved card that is gone fails the payment with the error code of its token', async () => {
  const processor = fakeProcessor();
  const gone = { instruments: { find: async () => undefined } } as unknown as Partial<ProcessorPoolDeps>;
  const payment = await pool(processor, gone).step(await accepted({ instrument: 'tok_1', card: undefined } as never));
  expect(payment).toMatchObject({
    status: 'failed',
    transactions: [
      { resultMessage: 'Not sent: the saved card is gone', errorCode: 'invalid-card-payment-method-token' },
    ],
  });
  expect([processor.calls, payment.alerts, lines]).toEqual([[], undefined, []]);
});

describe('card testing', () => {
  const testing = (judge: CardTesting['judge']) => ({
    cardTesting: { judge, end: () => void counted.push('ended'), noteDecline: async () => void counted.push('noted') },
  });

  test('a blocked card is declined as an issuer would decline it, and nothing is sent', async () => {
    const processor = fakeProcessor();
    const payment = await pool(
      processor,
      testing(async () => 'block'),
    ).step(await accepted());
    expect(payment).toMatchObject({
      status: 'denied',
      transactions: [{ resultCode: '05', resultMessage: 'Do not honor', declineCode: 'generic_decline' }],
    });
    expect(processor.calls).toEqual([]);
    expect(counted).toEqual(['noted', 'ended', 'declined']);
  });

  test('a card with other open attempts waits, unsent, and no try is counted', async () => {
    const processor = fakeProcessor();
    const under = pool(
      processor,
      testing(async () => 'wait'),
    );
    const before = await accepted();
    const payment = await under.step(before, 'replies-1');
    expect(payment).toMatchObject({ status: 'created', work: { kind: 'authorize', tries: 0 } });
    expect(payment.work).not.toHaveProperty('attempt');
    expect(payment.work?.dueAt.getTime()).toBeGreaterThan(before.work?.dueAt.getTime() ?? 0);
    expect(processor.calls).toEqual([]);
    expect(counted).toEqual(['ended', 'parked']);
    expect(under.nudges).toMatchObject([{ payload: { replyTo: 'replies-1' }, delayMs: expect.any(Number) }]);
  });

  test('a check that fails lets nothing through, and the work is tried again', async () => {
    const processor = fakeProcessor();
    const payment = await pool(
      processor,
      testing(() => Promise.reject(new Error('no primary'))),
    ).step(await accepted());
    expect(payment).toMatchObject({ status: 'created', work: { kind: 'authorize', tries: 1 } });
    expect(processor.calls).toEqual([]);
    expect(lines).toEqual([
      ['card-testing.not-checked', 'Error'],
      ['processor.no-outcome', 'card testing could not be checked'],
    ]);
  });

  test('an envelope that was changed is found by the check too', async () => {
    const changed = new VaultError('envelope-invalid', 'it does not open');
    const payment = await pool(
      fakeProcessor(),
      testing(() => Promise.reject(changed)),
    ).step(await accepted());
    expect(payment).toMatchObject({ status: 'failed', alerts: [{}] });
  });

  test('a decline is counted before its attempt ends and the caller gets the answer, and an approval is not counted', async () => {
    for (const [send, expected] of [
      [declined, ['noted', 'ended', 'declined']],
      [approved, ['ended', 'approved']],
    ] as const) {
      counted = [];
      await pool(
        fakeProcessor({ send: [send] }),
        testing(async () => 'send'),
      ).step(await accepted());
      expect(counted).toEqual(expected);
    }
  });
});

describe('work of a process that died', () => {
  const dedupes = { dedupes: true };

  test.each([
    ['approved', approved, 'approved'],
    ['declined', declined, 'denied'],
  ])('is sent again by its key when the processor dedupes, and %s counts', async (_what, send, status) => {
    const processor = fakeProcessor({ send: [send] }, dedupes);
    const payment = await pool(processor).step(await abandoned(store, await accepted()));
    expect(payment.status).toBe(status);
    expect(processor.calls).toEqual([`authorize ${tx(payment).id}`]);
    expect(counted).toEqual([`again-${send.kind}`]);
  });

  test.each([
    ['failed, which says nothing of what was sent first', { kind: 'failed', resultCode: '96', resultMessage: 'x' }],
  ] as const)('is inquired about when the second send %s', async (_what, send) => {
    const processor = fakeProcessor({ send: [send], inquire: [found(approved)] }, dedupes);
    const payment = await pool(processor).step(await abandoned(store, await accepted()));
    expect(payment.status).toBe('approved');
    expect(processor.calls).toEqual([`authorize ${tx(payment).id}`, `inquire ${tx(payment).id}`]);
    expect(counted).toEqual(['inquiry-found']);
  });

  test('has an unknown outcome when the second send does not reach the processor', async () => {
    const processor = fakeProcessor({ send: [{ kind: 'not-sent', internal: 'refused' }] }, dedupes);
    const payment = await pool(processor).step(await abandoned(store, await accepted()));
    expect(payment).toMatchObject({ status: 'pending', work: { kind: 'inquire' } });
    expect(counted).toEqual(['again-unknown']);
  });

  test.each([
    [
      'a card that does not open',
      throwing(new VaultError('key-missing' as never, 'no key')),
      ['processor.not-sent-again'],
    ],
    ['a card that is blocked', { cardTesting: { ...noCardTesting, judge: async () => 'block' } }, []],
  ])('with %s is not sent again but inquired about', async (_what, more, logged) => {
    const processor = fakeProcessor({ inquire: [noAnswer] }, dedupes);
    const payment = await pool(processor, more as never).step(await abandoned(store, await accepted()));
    expect(sends(processor)).toBe(0);
    expect(payment.work).toMatchObject({ kind: 'inquire' });
    expect(lines.map(([message]) => message)).toEqual([...logged, 'processor.no-answer']);
    expect(counted).toEqual(['inquiry-no-answer']);
  });

  test('is not sent again when the processor does not dedupe', async () => {
    const processor = fakeProcessor({ inquire: [found(declined)] }, { dedupes: false });
    const payment = await pool(processor).step(await abandoned(store, await accepted()));
    expect([payment.status, sends(processor)]).toEqual(['denied', 0]);
  });
});

describe('a partial approval', () => {
  const part = { ...approved, approvedMinor: 500 };

  test('that the merchant allows is taken', async () => {
    const { step } = pool(fakeProcessor({ send: [part] }));
    expect(await step(await accepted({ allowPartialApproval: true }))).toMatchObject({
      ...{ status: 'approved', capturedMinor: 500 },
    });
  });

  test('that the merchant does not allow is reversed, and the payment is denied', async () => {
    const processor = fakeProcessor({ send: [part] });
    const { step, finish } = pool(processor);
    const payment = await step(await accepted());
    expect(payment).toMatchObject({ status: 'pending', work: { kind: 'reverse' } });
    const over = await finish(payment);
    expect(over).toMatchObject({ status: 'denied', capturedMinor: 0 });
    expect(tx(over)).toMatchObject({ resultCode: '10', declineCode: 'partial_approval' });
    expect(processor.reversals).toMatchObject([{ amountMinor: 500, original: tx(payment).id }]);
  });
});
