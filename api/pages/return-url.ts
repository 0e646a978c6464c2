import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Session } from '../../shared/domain/session/session.js';

/**
 * Where a payer goes back to: an address that the integrator stored, with what happened for display, never as proof
 * (docs/decisions.md; docs/security.md, S35).
 */
export function returnUrl(
  to: string | undefined,
  session: Session,
  status: string,
  payment?: Payment,
): string | undefined {
  if (to === undefined) return undefined;
  const url = new URL(to);
  url.searchParams.set('sessionId', session._id);
  url.searchParams.set('referenceId', payment?.referenceId ?? session.referenceId);
  url.searchParams.set('status', status);
  if (payment) url.searchParams.set('paymentId', payment._id);
  return url.href;
}
