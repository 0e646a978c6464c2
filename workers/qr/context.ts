import type { Clock } from '../../shared/clock.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { TransferContext } from '../../shared/domain/payment/plan-transfer.js';
import type { Schedule } from '../../shared/domain/schedule.js';
import { newTransactionId } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { Processor } from '../../shared/processors/processor.js';
import type { Hints } from '../../shared/queue/hints.js';
import type { Reply } from '../../shared/queue/reply-channel.js';
import type { MerchantRepository } from '../../shared/store/merchant.repository.js';
import type { MerchantPaymentMethodRepository } from '../../shared/store/merchant-payment-method.repository.js';
import type { PaymentRepository } from '../../shared/store/payment.repository.js';
import type { ClaimedWork } from '../payment-work.js';

/** What the handlers of this pool are given. */
export interface QrPoolDeps {
  readonly payments: PaymentRepository;
  readonly processors: { get(code: string): Processor | undefined };
  readonly merchants: Pick<MerchantRepository, 'findMerchant'>;
  readonly methods: Pick<MerchantPaymentMethodRepository, 'findPaymentMethod'>;
  readonly hints: Hints;
  /** Sends the code to the API process whose caller waits; never waits itself. */
  publish(channel: string, reply: Reply): void;
  renderCallback(payment: Payment): string;
  readonly schedule: Schedule;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly batchWrites: boolean;
}

/** One claimed piece of work. */
export interface Claimed extends ClaimedWork {
  readonly processor: Processor | undefined;
}

export function transferContext({ clock, renderCallback, schedule }: QrPoolDeps): TransferContext {
  return { now: clock.now(), renderCallback, schedule, newTxId: newTransactionId };
}
