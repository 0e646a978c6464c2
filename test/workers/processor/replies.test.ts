/**
 * Replies of the pool together with the callers who wait for them. A caller applies the reply to the payment that it holds, and for that
 * counts the writes that the pool makes until then. One write more or less costs each payment a read, and no other test would notice.
 */
import { createOutcomeWaiter } from '../../../api/payments/await-outcome.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { newClaimedWork, storedClaimOf } from '../../../shared/domain/payment/work.js';
import { createLog } from '../../../shared/log.js';
import type { Reply } from '../../../shared/queue/reply-channel.js';
import { createPaymentRepository } from '../../../shared/store/payment.repository.js';
import { firstTx } from '../../domain/payment/a-payment.js';
import { PATIENCE_MS } from '../../support/patience.js';
import { fakeProcessor } from './fake-processor.js';
import { accepted, now, operations, store, under, useStore } from './processor-suite.js';

useStore();

/** Does the work while a caller waits for it. Returns the caller's answer, and how often the caller read the payment. */
async function answerOf(payment: Payment) {
  const listeners = new Map<string, (reply: Reply) => void>();
  const { pool } = under(fakeProcessor({}, { dedupes: true }), {
    publish: (_channel, reply) => listeners.get(reply.paymentId)?.(reply),
  });
  const payments = createPaymentRepository(store.database, true);
  let reads = 0;
  const outcomes = createOutcomeWaiter({
    replies: {
      channel: 'channel',
      connected: () => true,
      listen: (id, listener) => {
        listeners.set(id, listener);
        return () => listeners.delete(id);
      },
    },
    payments: {
      ...payments,
      // Only the reply can end the wait.
      findVersion: async () => undefined,
      findById: (id) => {
        reads += 1;
        return payments.findById(id);
      },
    },
    clock: { now },
    renderCallback: ({ status }) => status,
    shutdown: new AbortController().signal,
    log: createLog('test', 'silent'),
    metrics: { event: () => undefined },
  });
  const { txId = '', gen = 0 } = payment.work ?? {};
  const waiting = outcomes.start(payment, txId).wait(PATIENCE_MS);
  const nudge = { paymentId: payment._id, txId, gen, traceId: payment.traceId, replyTo: outcomes.channel };
  await pool.work({ ...nudge, first: storedClaimOf(payment) }, { handedOutOnce: true });
  return { answer: await waiting, reads };
}

const tokenization = { token: 'tok_1', type: 'persistent' } as const;
async function withStoredClaim(more: Partial<Payment> = {}): Promise<Payment> {
  const payment = await accepted(more);
  const work = newClaimedWork(firstTx(payment).id, now(), `insert-of-${payment._id}`, PATIENCE_MS);
  await store.payments.updateOne({ _id: payment._id }, { $set: { work } });
  return store.read(payment._id);
}

test.each([
  ...Object.entries(operations),
  ['purchase with a stored claim', () => withStoredClaim()],
  ['purchase that saves its card', () => accepted({ tokenization })],
  ['purchase with a stored claim that saves its card', () => withStoredClaim({ tokenization })],
] as const)('the caller of a %s is answered by the reply alone, without a read', async (_what, stored) => {
  const { answer, reads } = await answerOf(await stored());
  const { version, status } = await store.read(answer._id);
  expect([answer.version, answer.status, reads]).toEqual([version, status, 0]);
});
