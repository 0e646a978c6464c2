/** What Adyen answers with another status than success (development-resources/error-codes). */
import { responseCodes as codes } from '../../domain/response-codes.js';
import type { Definitive, Unknown } from '../processor.js';
import type { AdyenError } from './wire.js';

interface Meaning {
  readonly iso: string;
  readonly text: string;
  readonly declineCode: string;
}

const meaning = (iso: string, text: string, declineCode: string): Meaning => ({ iso, text, declineCode });

/** By `errorCode`: faults of the card, and of an operation that does not fit its payment. */
const declines: Readonly<Record<string, Meaning>> = {
  '101': meaning(codes.invalidCardNumber, 'Invalid card number', 'incorrect_number'),
  '102': meaning(codes.invalidCardNumber, 'Invalid card number', 'incorrect_number'),
  '103': meaning(codes.cvcFailure, 'Invalid cvc', 'incorrect_cvc'),
  '129': meaning(codes.expiredCard, 'Invalid expiry date', 'expired_card'),
  '137': meaning(codes.invalidAmount, 'Invalid amount', 'invalid_amount'),
  '140': meaning(codes.expiredCard, 'Invalid expiry date', 'expired_card'),
  '141': meaning(codes.expiredCard, 'Invalid expiry date', 'expired_card'),
  '153': meaning(codes.cvcFailure, 'Invalid cvc', 'incorrect_cvc'),
  '167': meaning(codes.unknownRecord, 'Unable to locate record', 'generic_decline'),
};

/** The key cannot be looked up now, what was sent under it is being worked on, or too much is sent: what comes of it is not known. */
const passing: ReadonlySet<string> = new Set(['703', '704', '705']);

const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 422]);
/** Types of its refusals. `internal` says nothing about what was asked; any other is of something on the way. */
const refusedTypes: ReadonlySet<string> = new Set(['validation', 'security', 'configuration']);

/** The account has no acquirer for the card or the currency: Adyen says so with the status of a server's fault, and sends nothing on. */
const isNotSetUp = (status: number, { errorCode, errorType }: AdyenError): boolean =>
  status === 500 && errorType === 'configuration' && /^905(_\d+)?$/.test(errorCode);

const unknown = (internal: string): Unknown => ({ kind: 'unknown', internal });

/** A fault of the installation: it says nothing of what was sent under the key before. */
const ofInstallation: ReadonlySet<string> = new Set(['security', 'configuration']);

/** @param first nothing was sent under the key before */
export function outcomeOfError(status: number, error: AdyenError | undefined, first: boolean): Definitive | Unknown {
  if (!error) return unknown(`status ${status}`);
  const { errorCode, errorType } = error;
  const isRefusal = refusedStatuses.has(status) && refusedTypes.has(errorType);
  if (!isRefusal && !isNotSetUp(status, error)) return unknown(`status ${status}`);
  if (passing.has(errorCode)) return unknown(`error ${errorCode}, which passes`);
  const installation = ofInstallation.has(errorType) || status === 401 || status === 403;
  if (!first && installation) return unknown(`status ${status}, error ${errorCode}`);
  const known = declines[errorCode];
  if (known && !installation) {
    const { iso: resultCode, text: resultMessage, declineCode } = known;
    return { kind: 'declined', error: 'declined-by-acquirer', resultCode, resultMessage, declineCode };
  }
  // The message may quote what was sent.
  return {
    kind: 'failed',
    resultCode: installation ? codes.systemMalfunction : codes.formatError,
    resultMessage: `Refused by Adyen: error ${errorCode}`,
  };
}
