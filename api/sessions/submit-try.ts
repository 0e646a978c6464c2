/** One try of a session as a payment: by the flow of API payments, with the session's own claim in front of what is stored. */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Session } from '../../shared/domain/session/session.js';
import { settleLink } from '../../shared/flows/settle-link.js';
import { settleSession } from '../../shared/flows/settle-session.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import type { PaymentDraft } from '../payments/new-payment.js';
import { payDraft } from '../payments/pay.js';
import { resume } from '../payments/resume-request.js';
import type { HostedCaller } from './hosted-inputs.js';
import { checkWalletCard } from './hosted-wallet.js';
import { claimKeyFor, draftByLink, openLinkOf, refuseClaimed } from './pay-by-link.js';
import { claimTry, tryOf } from './session-tries.js';

/** The payer acts for the key that made the session. No event is marked as answered: the integrator gets callbacks. */
export function callerOf(session: Session, { traceId, log }: HostedCaller): Caller {
  const { clientId, keyId, merchants } = session;
  return { principal: { clientId, keyId, merchants }, traceId, log, onFlushed: () => undefined };
}

/** What the newest try did to the session. It is found again by the sweep, so a failure is only logged. */
export async function settleQuietly(deps: ApiDeps, session: Session, log: HostedCaller['log']): Promise<Session> {
  try {
    const current = (await deps.sessions.findById(session._id)) ?? session;
    const settled = await settleSession(deps, current, deps.clock.now());
    // Nothing was left to change: the same try, sent at the same moment, may have settled it since it was read.
    return settled === current ? ((await deps.sessions.findById(session._id)) ?? settled) : settled;
  } catch (error) {
    log.warn('session.not-settled', { sessionId: session._id, error });
    return session;
  }
}

/** Completes a one-time link that was paid. The sweep does so too. */
async function settleLinkQuietly(deps: ApiDeps, session: Session, log: HostedCaller['log']): Promise<void> {
  if (!session.paymentLink) return;
  try {
    const link = await deps.links.findById(session.paymentLink.id);
    if (link?.status === 'active') await settleLink(deps, link, deps.clock.now());
  } catch (error) {
    log.warn('payment-link.not-settled', { sessionId: session._id, error });
  }
}

/**
 * Makes the payment of a try once: the same try again answers what became of it.
 * @param draft makes the payment request, checked against the session; called for a new try only.
 * @throws {GatewayError} `conflict` for a try that is not the next one, and as `POST /v1/payments` does.
 */
export async function submitTry(
  deps: ApiDeps,
  session: Session,
  attempt: number,
  caller: HostedCaller,
  draft: () => Promise<PaymentDraft>,
): Promise<Payment> {
  const sessionTry = tryOf(session, attempt);
  const asCaller = callerOf(session, caller);
  const made = await deps.payments.findById(sessionTry.paymentId);
  try {
    if (made) return await resume(deps, made, made.transactions[0]?.id ?? '', asCaller);
    // A session whose maker stopped half way holds its reference from now on.
    if ((await deps.reservations.reserve(session)) === 'duplicate') {
      throw new GatewayError('conflict', { message: 'The reference of this session is used by another payment.' });
    }
    const link = await openLinkOf(deps, session);
    const drafted = link ? draftByLink(link, await draft()) : await draft();
    const claimKey = link && (await claimKeyFor(deps, link));
    const ready = { ...drafted, sessionTry: { ...sessionTry, claimKey } };
    const pay = payDraft(deps, ready, asCaller, async (source) => {
      await checkWalletCard(deps, session, link, { source, installments: ready.installments });
      await claimTry(deps, session, attempt);
    });
    return await (claimKey === undefined ? pay : pay.catch(refuseClaimed));
  } finally {
    await settleQuietly(deps, session, caller.log);
    await settleLinkQuietly(deps, session, caller.log);
  }
}
