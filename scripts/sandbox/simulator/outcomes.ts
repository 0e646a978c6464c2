/** Outcomes in the answers of the test processor. */
import type { DeclineCode } from '../../../shared/domain/decline-codes.js';
import { responseCodes, responseTexts } from '../../../shared/domain/response-codes.js';
import type { WireError, WireOutcome } from '../../../shared/processors/sandbox/wire.js';

const messageOf = (code: string) => (responseTexts as Readonly<Record<string, string>>)[code] ?? 'Declined';

/** A single object, which all of a million approved payments in the books share. */
export const approvedOutcome: WireOutcome = {
  result: 'approved',
  resultCode: responseCodes.approved,
  resultMessage: messageOf(responseCodes.approved),
};

export const pendingOutcome: WireOutcome = {
  result: 'pending',
  resultCode: responseCodes.inProgress,
  resultMessage: messageOf(responseCodes.inProgress),
};

export function declinedOutcome(
  code: string,
  declineCode?: DeclineCode,
  error: WireError = 'declined-by-acquirer',
): WireOutcome {
  const resultMessage = messageOf(code);
  return {
    result: 'declined',
    resultCode: code,
    resultMessage,
    error,
    ...(declineCode !== undefined && { declineCode }),
  };
}

export function failedOutcome(code: string, resultMessage = messageOf(code)): WireOutcome {
  return { result: 'failed', resultCode: code, resultMessage };
}
