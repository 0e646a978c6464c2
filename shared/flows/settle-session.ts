/**
 * Updates a session from its newest try: completed, failed, expired, or to be looked at again. If the API's process ended
 * before it did this, the sweep does it by the same function.
 */
import { limits } from '../../config/limits.js';
import { renderTokenizationCallback, type TokenizationUpdate } from '../contract/tokenization-callback.js';
import type { PaymentInstrument } from '../domain/instrument/payment-instrument.js';
import type { Payment } from '../domain/payment/payment.js';
import { planFailed, planSessionEnd } from '../domain/session/plan-session.js';
import { type TryState, tryState } from '../domain/session/rules.js';
import type { Session } from '../domain/session/session.js';
import type { SessionEventName } from '../domain/session/statuses.js';
import { after, msBetween } from '../domain/time.js';
import { paymentIdOfTry } from '../ids.js';
import type { PaymentRepository } from '../store/payment.repository.js';
import type { PaymentInstrumentRepository } from '../store/payment-instrument.repository.js';
import type { SessionRepository } from '../store/session.repository.js';

export interface SettleDeps {
  readonly sessions: Pick<SessionRepository, 'update'>;
  readonly payments: Pick<PaymentRepository, 'findById'>;
  readonly instruments: Pick<PaymentInstrumentRepository, 'find'>;
}

/** The newest try of a session, as it is stored. */
export interface NewestTry {
  readonly state: TryState;
  readonly payment?: Payment | undefined;
  /** Saved card of a tokenization that succeeded. */
  readonly instrument?: PaymentInstrument | undefined;
}

const verifies = ({ type, settings }: Session) =>
  type === 'checkout' || settings.tokenization.verifyFunds !== undefined;

/**
 * Returns the state of a tokenization whose payment succeeded: in flight while the card is still to be saved, failed when the card was
 * not kept because its customer was deleted meanwhile. A card that was saved may be deleted already; the try still succeeded.
 */
async function tokenized(deps: Omit<SettleDeps, 'sessions'>, session: Session, payment: Payment): Promise<NewestTry> {
  const { tokenization, tokenizeAt } = payment;
  if (!tokenization) return { state: 'failed', payment };
  const instrument = await deps.instruments.find(session.clientId, tokenization.token);
  return { state: instrument || !tokenizeAt ? 'succeeded' : 'in-flight', payment, instrument };
}

/** Reads the newest try from MongoDB. Also `absent` for a try that is not stored yet and may still be under way ({@link isUnderWay}). */
export async function readNewestTry(deps: Omit<SettleDeps, 'sessions'>, session: Session): Promise<NewestTry> {
  if (session.tries === 0) return { state: 'absent' };
  if (!verifies(session)) {
    const instrument = await deps.instruments.find(session.clientId, session.instrumentToken ?? '');
    return { state: instrument ? 'succeeded' : 'absent', instrument };
  }
  const payment = await deps.payments.findById(paymentIdOfTry(session._id, session.tries));
  const state = tryState(payment);
  return payment && session.type === 'tokenization' && state === 'succeeded'
    ? tokenized(deps, session, payment)
    : { state, payment };
}

/** Whether the newest try is under way. A try for which nothing is stored counts as under way for `limits.sessionTryDeadMs`. */
export function isUnderWay({ triedAt }: Session, { state }: NewestTry, now: Date): boolean {
  if (state === 'in-flight') return true;
  return state === 'absent' && triedAt !== undefined && msBetween(triedAt, now) < limits.sessionTryDeadMs;
}

const statusOf = { succeeded: 'completed', 'ran-out': 'expired', cancelled: 'cancelled' } as const satisfies Record<
  SessionEventName,
  TokenizationUpdate['status']
>;

/** Ends a session. A tokenization session gets its callback. */
export function endSession(session: Session, event: SessionEventName, now: Date, newest: NewestTry) {
  const { instrument, payment: verification } = newest;
  const update = { status: statusOf[event], now, instrument, verification };
  const body = session.type === 'tokenization' ? renderTokenizationCallback(session, update) : undefined;
  return planSessionEnd(session, event, { now, body, instrument: event === 'succeeded' ? instrument?._id : undefined });
}

function planSettlement(session: Session, newest: NewestTry, now: Date): Session | undefined {
  if (newest.state === 'succeeded') return endSession(session, 'succeeded', now, newest);
  if (session.status !== 'pending') return undefined;
  const checkAfter = (at: Date) =>
    at.getTime() === session.checkAt?.getTime() ? undefined : { ...session, checkAt: at };
  if (isUnderWay(session, newest, now)) return checkAfter(after(now, limits.sessionCheckMs));
  if (session.expiresAt <= now) return endSession(session, 'ran-out', now, newest);
  const usedUp = session.tries >= limits.sessionTriesMax && newest.state === 'failed';
  if (usedUp && session.type === 'tokenization' && !session.failedAt) {
    const body = renderTokenizationCallback(session, { status: 'failed', now, verification: newest.payment });
    return planFailed(session, { now, body });
  }
  return checkAfter(session.expiresAt);
}

/** Settles a session and returns it as stored now. May run twice, also at the same time: each change is one compare-and-set. */
export async function settleSession(deps: SettleDeps, session: Session, now: Date): Promise<Session> {
  const newest = await readNewestTry(deps, session);
  // If another try began meanwhile, its own settlement or the next sweep decides.
  const plan = (current: Session) =>
    current.tries === session.tries ? planSettlement(current, newest, now) : undefined;
  return (await deps.sessions.update(session, plan)) ?? session;
}
