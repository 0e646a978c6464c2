/**
 * Brings a session to where its newest try left it: completed, failed, expired, or to be looked at again. What the API
 * did not get to before its process ended, the sweep does by the same function.
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

/** What is stored of the newest try of a session. */
export interface NewestTry {
  readonly state: TryState;
  readonly payment?: Payment | undefined;
  /** Of a tokenization that succeeded. */
  readonly instrument?: PaymentInstrument | undefined;
}

const verifies = ({ type, settings }: Session) =>
  type === 'checkout' || settings.tokenization.verifyFunds !== undefined;

/**
 * A card that is still to be saved is a tokenization under way, and one that was not kept, because its customer was deleted meanwhile,
 * has failed. A card that was saved may be gone again.
 */
async function tokenized(deps: Omit<SettleDeps, 'sessions'>, session: Session, payment: Payment): Promise<NewestTry> {
  const { tokenization, tokenizeAt } = payment;
  if (!tokenization) return { state: 'failed', payment };
  const instrument = await deps.instruments.find(session.clientId, tokenization.token);
  return { state: instrument || !tokenizeAt ? 'succeeded' : 'in-flight', payment, instrument };
}

/** Reads anew what is stored of it; `absent` also for one that may still be on its way ({@link isUnderWay}). */
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

/** A try of which nothing is stored may still be on its way, for a while. */
export function isUnderWay({ triedAt }: Session, { state }: NewestTry, now: Date): boolean {
  if (state === 'in-flight') return true;
  return state === 'absent' && triedAt !== undefined && msBetween(triedAt, now) < limits.sessionTryDeadMs;
}

const statusOf = { succeeded: 'completed', 'ran-out': 'expired', cancelled: 'cancelled' } as const satisfies Record<
  SessionEventName,
  TokenizationUpdate['status']
>;

/** Ends a session, with its callback where it is a tokenization. */
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

/** Returns the session as it is stored then. May run twice and at once: each change is one compare-and-set. */
export async function settleSession(deps: SettleDeps, session: Session, now: Date): Promise<Session> {
  const newest = await readNewestTry(deps, session);
  // Another try began since: its own settlement, or the next sweep, decides.
  const plan = (current: Session) =>
    current.tries === session.tries ? planSettlement(current, newest, now) : undefined;
  return (await deps.sessions.update(session, plan)) ?? session;
}
