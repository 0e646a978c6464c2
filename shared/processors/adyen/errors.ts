/** Converts Adyen's error answers to outcomes of the port (development-resources/error-codes). */
import type { DeclineCode } from '../../domain/decline-codes.js';
import { responseCodes as codes } from '../../domain/response-codes.js';
import type { Definitive, Unknown } from '../processor.js';
import type { AdyenError } from './wire.js';

interface Meaning {
  readonly iso: string;
  readonly text: string;
  readonly declineCode: DeclineCode;
}

const meaning = (iso: string, text: string, declineCode: DeclineCode): Meaning => ({ iso, text, declineCode });

/** By `errorCode`: wrong card data, and operations that do not fit their payment. */
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

/** Temporary errors: the key cannot be looked up, its request is still processed, or too much is sent. The outcome is not known. */
const temporaryErrors: ReadonlySet<string> = new Set(['703', '704', '705']);

const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 403, 422]);
/** Error types of Adyen's refusals. After `internal` the outcome is unknown; any other type comes from a proxy. */
const refusedTypes: ReadonlySet<string> = new Set(['validation', 'security', 'configuration']);

/** Whether the account has no acquirer for the card or the currency. Adyen answers that with status 500 and sends nothing on. */
const isNotSetUp = (status: number, { errorCode, errorType }: AdyenError): boolean =>
  status === 500 && errorType === 'configuration' && /^905(_\d+)?$/.test(errorCode);

const unknown = (internal: string): Unknown => ({ kind: 'unknown', internal });

/** Error types of a wrong configuration here: they say nothing about what was sent under the key before. */
const ofInstallation: ReadonlySet<string> = new Set(['security', 'configuration']);

/** @param first whether nothing was sent under the key before */
export function outcomeOfError(status: number, error: AdyenError | undefined, first: boolean): Definitive | Unknown {
  if (!error) return unknown(`status ${status}`);
  const { errorCode, errorType } = error;
  const isRefusal = refusedStatuses.has(status) && refusedTypes.has(errorType);
  if (!isRefusal && !isNotSetUp(status, error)) return unknown(`status ${status}`);
  if (temporaryErrors.has(errorCode)) return unknown(`error ${errorCode}, which passes`);
  const installation = ofInstallation.has(errorType) || status === 401 || status === 403;
  if (!first && installation) return unknown(`status ${status}, error ${errorCode}`);
  const known = declines[errorCode];
  if (known && !installation) {
    const { iso: resultCode, text: resultMessage, declineCode } = known;
    return { kind: 'declined', error: 'declined-by-acquirer', resultCode, resultMessage, declineCode };
  }
  // Adyen's message is left out: it may quote what was sent.
  return {
    kind: 'failed',
    resultCode: installation ? codes.systemMalfunction : codes.formatError,
    resultMessage: `Refused by Adyen: error ${errorCode}`,
  };
}
