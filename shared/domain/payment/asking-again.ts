/** When a processor is asked again, and the references by which it is asked about an operation without an outcome. Pure. */

import { defined } from '../defined.js';
import type { Schedule } from '../schedule.js';
import type { OwnReferences } from './network-answer.js';
import type { Payment } from './payment.js';
import { changeTransaction } from './transaction.js';

/** Returns the wait before the inquiry of a step of the schedule (0-based, ms); the last wait of the schedule repeats. */
export function inquiryWaitMs(schedule: Schedule, step: number): number {
  const waits = schedule.inquireAfterMs;
  const absolute = waits[Math.min(step, waits.length - 1)] as number;
  const previous = step === 0 || step >= waits.length ? 0 : (waits[step - 1] as number);
  return absolute - previous;
}

/** Returns when to ask again: on the schedule, or earlier when the processor will know earlier. */
export const nextInquiryAt = (scheduled: Date, knowsOutcomeAt: Date | undefined, now: Date): Date =>
  knowsOutcomeAt && knowsOutcomeAt > now && knowsOutcomeAt < scheduled ? knowsOutcomeAt : scheduled;

/** Stores the processor's references of an operation that has no outcome yet: inquiries name the operation by them. */
export function withReferences(payment: Payment, txId: string, said: OwnReferences): Payment {
  const { ticket, processorReference, retrievalReference } = said;
  const references = defined({ ticket, processorReference, retrievalReference });
  if (Object.keys(references).length === 0) return payment;
  return changeTransaction(payment, txId, references);
}
