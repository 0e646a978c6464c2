/** The issuer's checks: any cvc matches unless it is the reason of the decline, and any postal code matches but this one. */
import { responseCodes } from '../../../shared/domain/response-codes.js';
import type { WireAuthorization, WireOutcome } from '../../../shared/processors/sandbox/wire.js';
import type { EntryDetails } from './books.js';

const WRONG_POSTAL_CODE = '99999';

export function checkCard(
  { credential, payer }: WireAuthorization,
  { resultCode }: WireOutcome,
): Pick<EntryDetails, 'checked'> {
  const postalCode = payer?.address?.postalCode;
  const cvc = credential.card?.cvc === undefined ? undefined : resultCode === responseCodes.cvcFailure ? 'N' : 'M';
  const avs = postalCode === undefined ? undefined : postalCode === WRONG_POSTAL_CODE ? 'N' : 'Y';
  if (cvc === undefined && avs === undefined) return {};
  return { checked: { ...(cvc && { cvc }), ...(avs && { avs }) } };
}
