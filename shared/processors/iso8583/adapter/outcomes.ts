/** Outcomes that the adapter creates itself, and those stored in the journal. */
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import { responseCodes } from '../../../domain/response-codes.js';
import { after } from '../../../domain/time.js';
import type { IsoExchange } from '../../../store/iso8583-exchange.model.js';
import type { Declined, Definitive, Failed, NoAnswer } from '../../processor.js';

/** The outcome of a reversed operation: nothing of it is in effect at the acquirer. */
export const reversedOutcome: Failed = {
  kind: 'failed',
  resultCode: responseCodes.issuerInoperative,
  resultMessage: 'No outcome; reversed',
};

/** Builds the decline of a payment of which the acquirer approved a part that was reversed. */
export const refusedReversal = (resultCode: string): Declined => ({
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode,
  resultMessage: 'Approved for a part of the amount; reversed',
  declineCode: 'insufficient_funds',
});

/** Builds the answer for an outcome that is unknown until `at`; the next inquiry is made soon after. */
export function unknownUntil(internal: string, at: Date, now: Date): NoAnswer {
  const soonest = after(now, iso8583Limits.tellsAheadMsMin);
  return { kind: 'no-answer', internal, knowsOutcomeAt: at < soonest ? soonest : at };
}

/** The decline of an operation whose original was never sent. */
export const noOriginal: Declined = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: responseCodes.unknownRecord,
  resultMessage: 'Unable to locate record',
};

/** Returns the outcome of a finished exchange. The journal stores outcomes as objects of the port. */
export const outcomeOf = ({ outcome }: IsoExchange): Definitive =>
  (outcome as unknown as Definitive | undefined) ?? reversedOutcome;
