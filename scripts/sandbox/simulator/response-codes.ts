/** ISO 8583 response codes that the test processor answers with, and the outcomes made of them. */
import type { WireError, WireOutcome } from '../../../shared/processors/sandbox/wire.js';

const messages: Readonly<Record<string, string>> = {
  '00': 'Approved',
  '05': 'Do not honor',
  '12': 'Invalid transaction',
  '13': 'Invalid amount',
  '14': 'Invalid card number',
  '1A': 'Additional customer authentication required',
  '25': 'Unable to locate record',
  '30': 'Format error',
  '41': 'Lost card',
  '43': 'Stolen card',
  '51': 'Insufficient funds',
  '54': 'Expired card',
  '57': 'Transaction not permitted to cardholder',
  '61': 'Exceeds amount limit',
  '65': 'Exceeds frequency limit',
  '96': 'System malfunction',
  N7: 'Decline for cvc failure',
};

const messageOf = (code: string) => messages[code] ?? 'Declined';

/** One object for all: a million approved payments in the books share it. */
export const approvedOutcome: WireOutcome = { result: 'approved', resultCode: '00', resultMessage: messageOf('00') };

export const pendingOutcome: WireOutcome = { result: 'pending', resultCode: '09', resultMessage: 'In progress' };

export function declinedOutcome(
  code: string,
  declineCode?: string,
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
