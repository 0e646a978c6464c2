/**
 * One try of a session as a payment: numbered, only one under way at a time, at most `limits.sessionTriesMax`
 * (docs/security.md#card-testing).
 */

import { limits } from '../../config/limits.js';
import { conflict, type GatewayError } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { nextAttempt, tryRefKey } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import { after, msBetween } from '../../shared/domain/time.js';
import { settleLink } from '../../shared/flows/settle-link.js';
import { isUnderWay, type NewestTry, readNewestTry, settleSession } from '../../shared/flows/settle-session.js';
import { paymentIdOfTry } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import { answerRepeatedCall, authorizationIdOf } from '../payments/answer-outcome.js';
import { preparePayment, storeAndAnswer } from '../payments/pay.js';
import type { PaymentDraft, PaymentOrigin } from '../payments/payment-draft.js';
import type { HostedCaller } from './hosted-inputs.js';
import { applyLink, checkWalletCard, openLinkOf, refuseClaimed } from './pay-by-link.js';

/**
 * Returns the caller of the payments of a session: the payer acts for the key that created it. No event is marked as answered, so the
 * integrator gets callbacks.
 */
export function callerOfSession(session: Session, { traceId, log }: HostedCaller): Caller {
  const { clientId, keyId, merchants } = session;
  return { principal: { clientId, keyId, merchants }, traceId, log, onFlushed: () => undefined };
}

/** Applies the outcome of the newest try to the session. A failure is only logged, because the sweep repeats this. */
export async function settleOrLog(deps: ApiDeps, session: Session, log: HostedCaller['log']): Promise<Session> {
  try {
    const current = (await deps.sessions.findById(session._id)) ?? session;
    const settled = await settleSession(deps, current, deps.clock.now());
    // Nothing was left to change: a duplicate of this request may have settled the session after it was read.
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
    // The link may have expired after the payer was let in.
    if (link?.status === 'active' || link?.status === 'expired') await settleLink(deps, link, deps.clock.now());
  } catch (error) {
    log.warn('payment-link.not-settled', { sessionId: session._id, error });
  }
}

const inProgress = () => conflict('Another attempt of this session is in progress. Wait for its outcome.');

const ended = (session: Session) =>
  conflict(`This session is ${session.status === 'pending' ? 'expired' : session.status}.`);

/** Returns why a try is refused; `undefined`: it is the next one. */
function refusalOfTry(session: Session, attempt: number, newest: NewestTry, now: Date): GatewayError | undefined {
  if (session.status !== 'pending' || session.expiresAt <= now) return ended(session);
  if (newest.state === 'succeeded') return conflict('This session is completed.');
  const next = nextAttempt(session, newest.state);
  if (attempt > limits.sessionTriesMax) return conflict('No attempts are left in this session.');
  if (attempt === next) return undefined;
  if (attempt > next && isUnderWay(session, newest, now)) return inProgress();
  return conflict('This attempt is out of date. Reload the page.');
}

/** Returns why a try is refused, for the session as it is stored now: it may have changed since the session and its newest try were read. */
function refusalOfTryNow(
  current: Session,
  read: Session,
  attempt: number,
  newest: NewestTry,
  now: Date,
): GatewayError | undefined {
  if (current.status !== 'pending') return ended(current);
  // The newest try that was read is outdated when another one began since then.
  if (current.tries !== read.tries) return current.tries === attempt ? undefined : inProgress();
  return refusalOfTry(current, attempt, newest, now);
}

/**
 * Whether another request claimed the same try after this one read the session. Its claim counts for both while the session waits for the
 * try long enough to store the payment.
 */
function isClaimedMeanwhile({ tries, triedAt }: Session, read: Session, attempt: number, now: Date): boolean {
  if (tries !== attempt || triedAt === undefined || triedAt.getTime() === read.triedAt?.getTime()) return false;
  return msBetween(triedAt, now) < limits.sessionTryDeadMs / 2;
}

/**
 * Claims the try for the caller: from now on the session waits for its outcome. Called right before anything of the try is stored.
 * @throws {GatewayError} `conflict` when the session has ended, has no tries left, or another try is under way.
 */
export async function claimTry(deps: ApiDeps, session: Session, attempt: number): Promise<Session> {
  const newest = await readNewestTry(deps, session);
  const now = deps.clock.now();
  let refusal: GatewayError | undefined;
  let shared: Session | undefined;
  const claimed = await deps.sessions.update(session, (current) => {
    refusal = refusalOfTryNow(current, session, attempt, newest, now);
    if (refusal) return undefined;
    if (isClaimedMeanwhile(current, session, attempt, now)) {
      // Many submissions of one form at once would overtake one another until none of them could write.
      shared = current;
      return undefined;
    }
    const checkAt = after(now, limits.sessionCheckMs);
    const removeAt = after(now, limits.sessionRetentionMs);
    return { ...current, tries: attempt, triedAt: now, checkAt, updatedAt: now, removeAt };
  });
  const held = claimed ?? shared;
  if (!held) throw refusal ?? conflict('The session is being changed.');
  return held;
}

/** Returns the origin of the payment of a try. Its id follows from session and attempt, so the same try twice is one payment. */
function originOfTry(session: Session, attempt: number): PaymentOrigin {
  const { _id: sessionId, type, paymentRequest, referenceId } = session;
  const refKey =
    type === 'checkout'
      ? tryRefKey('payment', attempt, paymentRequest?.referenceId ?? '')
      : tryRefKey('session', attempt, referenceId);
  const _id = paymentIdOfTry(sessionId, attempt);
  return { _id, refKeys: [refKey], processingMethod: 'checkout', sessionId, attempt };
}

/** The try that a payer submits. */
interface SubmittedTry {
  readonly session: Session;
  /** Number of the try, from 1. */
  readonly attempt: number;
  /** Builds the payment request, checked against the session; called only for a new try. */
  makeDraft(): Promise<PaymentDraft>;
}

/** Makes the payment of a new try: prepares it like any other, and claims the try right before it is stored. */
async function payTry(
  deps: ApiDeps,
  { session, attempt, makeDraft }: SubmittedTry,
  origin: PaymentOrigin,
  caller: Caller,
): Promise<Payment> {
  // Creating the session may have stopped before its reference was reserved; this reserves it.
  if ((await deps.reservations.reserve(session)) === 'duplicate') {
    throw conflict('The reference of this session is used by another payment.');
  }
  const link = await openLinkOf(deps, session);
  const draft = await makeDraft();
  const linked = link && (await applyLink(deps, link, draft, origin));
  const slot = deps.admissionLimit.enter();
  try {
    const prepared = await preparePayment(deps, linked?.draft ?? draft, linked?.origin ?? origin, caller, slot.waitMs);
    checkWalletCard(session, link, prepared.source, draft.installments);
    await claimTry(deps, session, attempt);
    const paid = storeAndAnswer(deps, prepared, caller, slot.waitMs);
    return await (link?.type === 'one-time' ? paid.catch(refuseClaimed) : paid);
  } finally {
    slot.leave();
  }
}

/**
 * Makes the payment of a try once; the same try again returns the outcome of that payment.
 * @throws {GatewayError} `conflict` for a try that is not the next one, and as `POST /v1/payments` does.
 */
export async function submitTry(deps: ApiDeps, submitted: SubmittedTry, caller: HostedCaller): Promise<Payment> {
  const { session, attempt } = submitted;
  const origin = originOfTry(session, attempt);
  const asCaller = callerOfSession(session, caller);
  const made = await deps.payments.findById(origin._id);
  try {
    if (!made) return await payTry(deps, submitted, origin, asCaller);
    return await answerRepeatedCall(deps, made, authorizationIdOf(made), asCaller);
  } finally {
    await settleOrLog(deps, session, caller.log);
    await settleLinkQuietly(deps, session, caller.log);
  }
}
