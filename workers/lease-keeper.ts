import { limits } from '../config/limits.js';
import type { Log } from '../shared/log.js';
import type { PaymentRepository } from '../shared/store/payment.repository.js';

export interface LeaseKeeper {
  /** Renews the lease until the returned function is called. */
  hold(paymentId: string, token: string): () => void;
  close(): void;
}

/** Renews all leases of this process in one write: the work of a killed process goes to another one, slow work stays. */
export function createLeaseKeeper(payments: Pick<PaymentRepository, 'renewLeases'>, log: Log): LeaseKeeper {
  const held = new Map<string, string>();
  const renew = async () => {
    if (held.size === 0) return;
    try {
      await payments.renewLeases([...held.keys()], [...new Set(held.values())]);
    } catch (error) {
      // The leases run out and other processes inquire: slower, never wrong.
      log.warn('leases.not-renewed', { count: held.size, error });
    }
  };
  const timer = setInterval(() => void renew(), limits.leaseRenewMs);
  timer.unref();
  return {
    hold(paymentId, token) {
      held.set(paymentId, token);
      return () => {
        if (held.get(paymentId) === token) held.delete(paymentId);
      };
    },
    close: () => clearInterval(timer),
  };
}
