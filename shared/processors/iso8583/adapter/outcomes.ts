/** Outcomes that the adapter makes itself, and those that the journal kept. */
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import { responseCodes } from '../../../domain/response-codes.js';
import { after } from '../../../domain/time.js';
import type { IsoExchange } from '../../../store/iso8583-exchange.model.js';
import type { Declined, Definitive, Failed, NoAnswer } from '../../processor.js';

/** Nothing of it is in effect at the acquirer. */
export const takenBack: Failed = {
  kind: 'failed',
  resultCode: responseCodes.issuerInoperative,
  resultMessage: 'No outcome; reversed',
};

/** The acquirer approved a part, which was taken back. */
export const refusedReversal = (resultCode: string): Declined => ({
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode,
  resultMessage: 'Approved for a part of the amount; reversed',
  declineCode: 'insufficient_funds',
});

/** Unknown until then, and asked about again soon after. */
export function tellsLater(internal: string, at: Date, now: Date): NoAnswer {
  const soonest = after(now, iso8583Limits.tellsAheadMsMin);
  return { kind: 'no-answer', internal, tellsAt: at < soonest ? soonest : at };
}

/** It is about something that was never sent. */
export const noOriginal: Declined = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: responseCodes.unknownRecord,
  resultMessage: 'Unable to locate record',
};

/** Of an exchange that is over. The journal keeps the port's own objects. */
export const outcomeOf = ({ outcome }: IsoExchange): Definitive =>
  (outcome as unknown as Definitive | undefined) ?? takenBack;
