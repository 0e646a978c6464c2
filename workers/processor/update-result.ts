/** The common part of all updates that a processor sends by itself: what an update is about, and its result. */
import { routeOf } from '../../shared/domain/payment/attempts.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { planAlert } from '../../shared/domain/payment/plan-update.js';
import type { Log } from '../../shared/log.js';
import type { ProcessorUpdate } from '../../shared/processors/updates.js';
import type { ProcessorUpdateRepository } from '../../shared/store/processor-update.repository.js';
import { changePayment, type Plan } from '../payment-work.js';
import type { ProcessorDeps } from './processor-context.js';

/** Dependencies of the functions that apply updates. */
export type UpdateDeps = ProcessorDeps & { readonly updates: ProcessorUpdateRepository };

/** Result of an update. `later`: it is tried again on the schedule, and flagged after the last try. */
export interface UpdateResult {
  readonly kind: 'applied' | 'later' | 'flagged';
  /** In the gateway's words, not the processor's. */
  readonly reason: string;
}
export const applied = (reason: string): UpdateResult => ({ kind: 'applied', reason });
export const later = (reason: string): UpdateResult => ({ kind: 'later', reason });
export const flagged = (reason: string): UpdateResult => ({ kind: 'flagged', reason });

/** The payment and the transaction that an update is about. */
export interface UpdateSubject {
  readonly payment: Payment;
  readonly tx: Transaction;
  readonly log: Log;
}

/** Applies an update of one kind. */
export type ApplyUpdate<U extends ProcessorUpdate> = (
  deps: UpdateDeps,
  about: UpdateSubject,
  update: U,
) => Promise<UpdateResult>;

/** Makes a change that is no outcome of the work; `reason` is noted when the plan changed something. */
export const changeBy = async (deps: UpdateDeps, payment: Payment, plan: Plan, reason: string): Promise<UpdateResult> =>
  applied((await changePayment(deps, payment, plan)) ? reason : 'it says nothing new');

/** Flags an update that has another amount, currency or key than what was sent; nothing in it is applied. */
export async function flagMismatch(
  deps: UpdateDeps,
  { payment, tx }: UpdateSubject,
  problem: string,
): Promise<UpdateResult> {
  const { processor } = routeOf(payment, tx.id);
  const text = `an update of ${processor} about ${tx.kind} ${tx.id} is not believed: ${problem}`;
  await changePayment(deps, payment, (current) => planAlert(current, deps.clock.now(), text));
  return flagged(problem);
}

/** Returns what was sent, for comparison with an update. */
export const sentAs = ({ payment, tx }: UpdateSubject) => ({
  key: tx.id,
  amountMinor: tx.amountMinor,
  currency: payment.amount.currency,
});
