/** What every suite of the processor pool begins with: payments on the real MongoDB, in each state that work starts from. */
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { ProcessorPoolDeps } from '../../../workers/processor/processor-pool.js';
import { approvedPayment, authorizedPayment, createdPayment } from '../../domain/payment/a-payment.js';
import { openPaymentStore, type PaymentStore } from '../../store/payment-store.js';
import type { FakeProcessor } from './fake-processor.js';
import { type PoolUnderTest, poolUnderTest, reserve } from './pool-under-test.js';

/** The payments of the suite that runs. */
export let store: PaymentStore;
let open: PoolUnderTest[] = [];

/** Each suite calls it once, before its tests. */
export function useStore(): void {
  beforeAll(async () => {
    store = await openPaymentStore('processor_pool');
  });
  afterEach(async () => {
    const orphans = await store.orphanIds();
    await store.payments.deleteMany({});
    await Promise.all(open.map((pool) => pool.close()));
    open = [];
    // Whatever a test did, no payment was left without the work that it needs.
    expect(orphans).toEqual([]);
  });
  afterAll(() => store?.close());
}

export const under = (processor: FakeProcessor | undefined, more: Partial<ProcessorPoolDeps> = {}) => {
  const pool = poolUnderTest(store, processor, more);
  open.push(pool);
  return pool;
};
export const now = () => new Date();
export async function accepted(
  more: Partial<Payment> = {},
  kind: 'purchase' | 'authorization' = 'purchase',
): Promise<Payment> {
  const payment = createdPayment({ createdAt: now(), ...more }, kind);
  await store.put(payment);
  return store.read(payment._id);
}
export const sends = (processor: FakeProcessor) =>
  processor.calls.filter((call) => !/^(inquire|reverse)/.test(call)).length;

export const operations = {
  purchase: () => accepted(),
  authorization: () => accepted({}, 'authorization'),
  capture: () => reserve(store, authorizedPayment({ createdAt: now() }), 'capture', 400),
  cancellation: () => reserve(store, authorizedPayment({ createdAt: now() }), 'cancellation'),
  refund: () => reserve(store, approvedPayment({ createdAt: now() }), 'refund', 400),
} as const;
export type Operation = keyof typeof operations;
export const names = Object.keys(operations) as Operation[];

export const after: Record<Operation, { approved: string; declined: string; failed: string }> = {
  purchase: { approved: 'approved', declined: 'denied', failed: 'failed' },
  authorization: { approved: 'authorized', declined: 'denied', failed: 'failed' },
  capture: { approved: 'approved', declined: 'authorized', failed: 'authorized' },
  cancellation: { approved: 'cancelled', declined: 'authorized', failed: 'authorized' },
  refund: { approved: 'partially-refunded', declined: 'approved', failed: 'approved' },
};
