/** Where a payer goes from the pages of a session: addresses that the integrator stored, never taken from a query. */
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Session } from '../../shared/domain/session/session.js';
import { addToQuery } from '../http/add-to-query.js';
import { schemesOf } from './http/schemes-of.js';

/**
 * Returns the address to which a payer goes back. Its query says what happened, for display and never as proof (docs/decisions.md;
 * docs/security.md#redirect-urls).
 */
export function returnUrl(
  to: string | undefined,
  session: Session,
  status: string,
  payment?: Payment,
): string | undefined {
  if (to === undefined) return undefined;
  return addToQuery(to, {
    sessionId: session._id,
    referenceId: payment?.referenceId ?? session.referenceId,
    status,
    ...(payment && { paymentId: payment._id }),
  });
}

/**
 * Returns the address to which the payer is redirected at once, without a page of ours: after success, unless the session asks for a
 * receipt first, and after a cancellation.
 * @param payment the payment of a checkout that was paid.
 */
export function immediateRedirectUrl(
  session: Session,
  ended: { readonly status: string; readonly payment?: Payment | undefined },
): string | undefined {
  const { defaultUrl, cancelUrl, receipt } = session.settings.redirects ?? {};
  const { status, payment } = ended;
  if (status === 'cancelled' && !payment) return returnUrl(cancelUrl, session, status);
  const succeeded = payment !== undefined || status === 'completed';
  return succeeded && !receipt ? returnUrl(defaultUrl, session, status, payment) : undefined;
}

/**
 * Returns where the forms of a session's pages may lead (CSP, `form-action`): to the shop, to which the answer redirects the payer, and
 * to any address to which the shop redirects from there. A payer who has paid must not get stuck on the form.
 */
export function formTargets({ settings }: Session): string {
  const { defaultUrl, cancelUrl } = settings.redirects ?? {};
  return ["'self'", ...schemesOf([defaultUrl, cancelUrl].filter((url) => url !== undefined))].join(' ');
}
