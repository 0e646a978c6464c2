/** Processors that cannot be asked: a request is sent again under its key, and a reversal ends with an update. */

import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { Definitive, InquireRequest, InquireResult } from '../../../shared/processors/processor.js';
import { handleUpdate } from '../../../workers/processor/apply-update.handler.js';
import { firstTx, stateProblems } from '../../domain/payment/a-payment.js';
import { passingTime } from '../../support/passing-time.js';
import { approved, declined, type FakeProcessor, fakeProcessor, found, noAnswer, unknown } from './fake-processor.js';
import type { PoolUnderTest } from './pool-under-test.js';
import { accepted, operations, store, under, useStore } from './processor-suite.js';

useStore();

interface Asked extends FakeProcessor {
  readonly inquiries: readonly InquireRequest[];
}

/** Answers an authorization that may be sent again, and finds nothing else, as the Adyen adapter does. */
function inquiresBySendingProcessor(
  answer: InquireResult = found(approved),
  more: Parameters<typeof fakeProcessor>[0] = {},
): Asked {
  const inquiries: InquireRequest[] = [];
  const script = { send: [unknown], reverse: [noAnswer], ...more };
  const fake = fakeProcessor(script, { dedupes: true, inquiresBySending: true });
  const inquire = async (request: InquireRequest): Promise<InquireResult> => {
    inquiries.push(request);
    return request.sentRequest ? answer : { kind: 'not-found' };
  };
  return { ...fake, inquire, inquiries };
}

describe('an inquiry', () => {
  test('brings the authorization as it was sent, with its card and cvc', async () => {
    const processor = inquiresBySendingProcessor();
    const payment = await operations.purchase();
    const done = await under(processor).finish(payment);
    expect(done.status).toBe('approved');
    expect(processor.inquiries).toMatchObject([
      {
        key: firstTx(payment).id,
        sentRequest: {
          key: firstTx(payment).id,
          amountMinor: 1_050,
          credential: { card: { number: '4242424242424242', cvc: '123' } },
        },
      },
    ]);
  });

  test('brings a capture as it was sent', async () => {
    const processor = inquiresBySendingProcessor();
    const done = await under(processor).finish(await operations.capture());
    expect(done.status).toBe('approved');
    const [inquiry] = processor.inquiries;
    expect(inquiry?.sentRequest).toMatchObject({ key: inquiry?.key, original: inquiry?.original });
  });

  test('brings nothing for a payer who left: the payment is reversed instead', async () => {
    const processor = inquiresBySendingProcessor();
    const pool = under(processor);
    const sent = await pool.step(await operations.purchase());
    pool.advance(limits.authorizeWithinMs + 1);
    let current = await pool.step(sent);
    expect(processor.inquiries[0]).not.toHaveProperty('sentRequest');
    while (current.work?.kind === 'inquire') current = await pool.step(current);
    expect(current).toMatchObject({ status: 'pending', work: { kind: 'reverse' } });
  });

  test('is put off when the request cannot be built again as it was sent', async () => {
    const processor = inquiresBySendingProcessor();
    const customers = { find: () => Promise.reject(new Error('away')) };
    const sent = await under(processor).step(await accepted({ customerId: 'cus_1' }));
    const current = await under(processor, { customers }).step(sent);
    expect(current).toMatchObject({ status: 'pending', work: { kind: 'inquire', tries: 1 } });
    expect(processor.inquiries).toEqual([]);
  });

  test('sends nothing when the request took longer to build than the claim allows to send', async () => {
    const processor = inquiresBySendingProcessor();
    const sent = await under(processor).step(await accepted({ customerId: 'cus_1' }));
    const time = passingTime();
    const customers = {
      find: async () => {
        time.by(limits.sendByMs);
        return undefined;
      },
    };
    const current = await under(processor, { customers }).step(sent).finally(time.giveBack);
    expect(current).toMatchObject({ status: 'pending', work: { kind: 'inquire', tries: 1 } });
    expect(processor.inquiries).toEqual([]);
  });

  test('brings nothing to processors that can be asked', async () => {
    const processor = inquiresBySendingProcessor();
    const askable = { ...processor, traits: { ...processor.traits, inquiresBySending: undefined } as never };
    const pool = under(askable);
    await pool.step(await pool.step(await operations.purchase()));
    expect(processor.inquiries[0]).not.toHaveProperty('sentRequest');
  });
});

describe('an update', () => {
  let events = 0;
  /** Stores a purchase whose outcome stayed unknown and whose reversal is not confirmed. */
  async function reversing(): Promise<{ pool: PoolUnderTest; payment: Payment; key: string; processor: Asked }> {
    const processor = inquiresBySendingProcessor();
    const pool = under(processor);
    const sent = await pool.step(await accepted({ takesUpdates: true }));
    pool.advance(limits.authorizeWithinMs + 1);
    let payment = await pool.step(sent);
    while (payment.work?.kind === 'inquire') payment = await pool.step(payment);
    payment = await pool.step(payment);
    expect(payment.work?.kind).toBe('reverse');
    return { pool, payment, key: firstTx(payment).id, processor };
  }

  async function tell({ deps }: PoolUnderTest, payment: Payment, key: string, outcome: Definitive): Promise<Payment> {
    events += 1;
    const update = { kind: 'outcome', eventId: `evt_${process.pid}_${events}`, key, outcome } as const;
    const receivedAt = deps.clock.now();
    const [id] = await deps.updates.store([{ processor: payment.processor, update, traceId: 't', receivedAt }]);
    await handleUpdate(deps, id as string);
    return store.read(payment._id);
  }

  test('confirms a reversal', async () => {
    const { pool, payment, key } = await reversing();
    const done = await tell(pool, payment, `${key}-reverse`, { ...approved, ticket: 'R1' });
    expect(done).toMatchObject({
      status: 'failed',
      transactions: [{ status: 'failed' }, { kind: 'reversal', status: 'approved', ticket: 'R1' }],
    });
    expect([done.work, stateProblems(done)]).toEqual([undefined, []]);
    const again = await tell(pool, done, `${key}-reverse`, approved);
    expect(again.version).toBe(done.version);
  });

  test('about a refused reversal alerts a person, and the reversal goes on', async () => {
    const { pool, payment, key, processor } = await reversing();
    expect(processor.reversals.at(-1)).not.toHaveProperty('refusals');
    const refused = await tell(pool, payment, `${key}-reverse`, declined);
    expect(refused).toMatchObject({
      status: 'pending',
      work: { kind: 'reverse' },
      alerts: [{ text: `the processor did not reverse ${key}: Insufficient funds; retrying` }],
    });
    await pool.step(refused);
    expect(processor.reversals.at(-1)).toMatchObject({ key: `${key}-reverse`, refusals: 1 });
    expect((await tell(pool, refused, `${key}-reverse`, declined)).alerts).toHaveLength(1);
  });

  test('about a declined purchase ends its reversal, because there is nothing to take back', async () => {
    const { pool, payment, key } = await reversing();
    expect((await tell(pool, payment, key, declined)).status).toBe('failed');
  });

  test('with the reference of the purchase makes the reversal name it, at once', async () => {
    const { pool, payment, key, processor } = await reversing();
    const named = await tell(pool, payment, key, { ...approved, processorReference: 'PSP1' });
    expect(named).toMatchObject({
      status: 'pending',
      transactions: [{ status: expect.stringMatching(/created|pending/), processorReference: 'PSP1' }, {}],
      work: { kind: 'reverse' },
    });
    expect(named.work?.dueAt.getTime()).toBeLessThanOrEqual(pool.deps.clock.now().getTime());
    await pool.step(named);
    expect(processor.reversals.at(-1)?.originalReferences).toMatchObject({ processorReference: 'PSP1' });
    expect((await tell(pool, named, key, { ...approved, processorReference: 'PSP2' })).transactions[0]).toMatchObject({
      processorReference: 'PSP1',
    });
  });
});
