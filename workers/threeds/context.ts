import type { Clock } from '../../shared/clock.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Schedule } from '../../shared/domain/schedule.js';
import type { AuthenticationContext } from '../../shared/domain/threeds/plan-authentication.js';
import type { Log } from '../../shared/log.js';
import type { Metrics } from '../../shared/metrics.js';
import type { Hints } from '../../shared/queue/hints.js';
import type { Reply } from '../../shared/queue/reply-channel.js';
import type { MerchantRepository } from '../../shared/store/merchant.repository.js';
import type { PaymentRepository } from '../../shared/store/payment.repository.js';
import type { PaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import type { ThreeDsProvider } from '../../shared/threeds-providers/provider.js';
import type { Vault } from '../../shared/vault/vault.js';
import type { ClaimedWork } from '../payment-work.js';

/** What the handlers of this pool are given. */
export interface ThreeDsPoolDeps {
  readonly payments: PaymentRepository;
  readonly providers: { get(code: string): ThreeDsProvider | undefined };
  readonly vault: Pick<Vault, 'open' | 'seal'>;
  readonly merchants: Pick<MerchantRepository, 'findMerchant'>;
  readonly instruments: Pick<PaymentInstrumentRepository, 'find'>;
  readonly hints: Hints;
  /** Sends the outcome to the API process whose caller waits; never waits itself. */
  publish(channel: string, reply: Reply): void;
  renderCallback(payment: Payment): string;
  readonly schedule: Schedule;
  /** Address under which payers reach the API's pages. */
  readonly publicBaseUrl: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly batchWrites: boolean;
}

/** One claimed piece of work. */
export interface Claimed extends ClaimedWork {
  readonly provider: ThreeDsProvider | undefined;
}

export function authenticationContext(deps: ThreeDsPoolDeps): AuthenticationContext {
  const { challengeMs, challengeAskMs, authorizeWithinMs, cardDestroyMs } = deps.schedule;
  const now = deps.clock.now();
  const { renderCallback } = deps;
  return { now, renderCallback, challengeMs, challengeAskMs, authorizeWithinMs, cardDestroyMs };
}
