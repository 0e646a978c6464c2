/** Outcomes that the adapter makes itself, and those that the journal kept. */
import { responseCodes } from '../../../domain/response-codes.js';
import type { IsoExchange } from '../../../store/iso8583-exchange.model.js';
import type { Declined, Definitive, Failed } from '../../processor.js';

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
