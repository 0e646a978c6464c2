/** Converts Stripe's refusals to outcomes of the port (docs.stripe.com/declines/codes). */
import type { DeclineCode } from '../../domain/decline-codes.js';
import { defined } from '../../domain/defined.js';
import { responseCodes as codes, type ResponseCode, responseTexts } from '../../domain/response-codes.js';
import type { DeclineAdvice, Declined, Failed } from '../answers.js';
import type { Fault } from './calls.js';

/** ISO 8583 response code, and the text that merchants see. */
type Meaning = readonly [code: string, text: string];

const meaning = (code: ResponseCode, text = responseTexts[code]): Meaning => [code, text];

/** Stripe may answer other codes too. */
const known = {
  approve_with_id: meaning(codes.issuerInoperative),
  authentication_required: meaning(codes.authenticationRequired),
  authentication_not_handled: meaning(codes.authenticationRequired),
  call_issuer: meaning(codes.referToIssuer),
  // An error code without a decline code: Stripe itself accepts no more tries with this card for a day.
  card_decline_rate_limit_exceeded: meaning(codes.exceedsFrequencyLimit),
  card_not_supported: meaning(codes.notPermittedToCardholder),
  card_velocity_exceeded: meaning(codes.exceedsFrequencyLimit),
  currency_not_supported: meaning(codes.notPermittedToCardholder, 'Currency not supported by the card'),
  do_not_honor: meaning(codes.doNotHonor),
  duplicate_transaction: meaning(codes.duplicateTransaction),
  expired_card: meaning(codes.expiredCard),
  fraudulent: meaning(codes.suspectedFraud),
  highest_risk_level: meaning(codes.suspectedFraud),
  incorrect_address: meaning(codes.doNotHonor, 'Incorrect billing address'),
  incorrect_cvc: meaning(codes.cvcFailure),
  incorrect_number: meaning(codes.invalidCardNumber),
  incorrect_zip: meaning(codes.doNotHonor, 'Incorrect postal code'),
  insufficient_funds: meaning(codes.insufficientFunds),
  invalid_account: meaning(codes.invalidCardNumber, 'Invalid account'),
  invalid_amount: meaning(codes.invalidAmount),
  invalid_cvc: meaning(codes.cvcFailure),
  invalid_expiry_month: meaning(codes.expiredCard, 'Invalid expiry'),
  invalid_expiry_year: meaning(codes.expiredCard, 'Invalid expiry'),
  invalid_number: meaning(codes.invalidCardNumber),
  issuer_not_available: meaning(codes.issuerInoperative),
  lost_card: meaning(codes.lostCard),
  merchant_blacklist: meaning(codes.doNotHonor),
  new_account_information_available: meaning(codes.invalidCardNumber, 'The card has new data'),
  no_action_taken: meaning(codes.doNotHonor),
  not_permitted: meaning(codes.notPermittedToCardholder),
  pickup_card: meaning(codes.pickUpCard),
  processing_error: meaning(codes.systemMalfunction),
  reenter_transaction: meaning(codes.reenterTransaction),
  restricted_card: meaning(codes.restrictedCard),
  revocation_of_all_authorizations: meaning(codes.authorizationRevoked, 'Revocation of all authorizations'),
  revocation_of_authorization: meaning(codes.stopPaymentOrder, 'Revocation of the authorization'),
  security_violation: meaning(codes.securityViolation),
  service_not_allowed: meaning(codes.notPermittedToCardholder),
  stolen_card: meaning(codes.stolenCard),
  stop_payment_order: meaning(codes.stopPaymentOrder),
  testmode_decline: meaning(codes.invalidCardNumber, 'A test card'),
  transaction_not_allowed: meaning(codes.notPermittedToCardholder),
  try_again_later: meaning(codes.issuerInoperative),
  withdrawal_count_limit_exceeded: meaning(codes.exceedsAmountLimit),
} as const satisfies Partial<Record<DeclineCode | 'authentication_not_handled', Meaning>>;
const meanings: Readonly<Record<string, Meaning>> = known;

const adviceOfStripe: Readonly<Record<string, DeclineAdvice>> = {
  do_not_try_again: 'do-not-retry',
  try_again_later: 'retry-later',
  confirm_card_data: 'update-credentials',
};

/** Advice by decline code, used when Stripe gives none. */
const adviceOfCode: Readonly<Record<string, DeclineAdvice>> = {
  expired_card: 'update-credentials',
  incorrect_address: 'update-credentials',
  incorrect_cvc: 'update-credentials',
  incorrect_number: 'update-credentials',
  incorrect_zip: 'update-credentials',
  invalid_account: 'update-credentials',
  invalid_cvc: 'update-credentials',
  invalid_expiry_month: 'update-credentials',
  invalid_expiry_year: 'update-credentials',
  invalid_number: 'update-credentials',
  new_account_information_available: 'update-credentials',
  card_decline_rate_limit_exceeded: 'retry-later',
  insufficient_funds: 'retry-later',
  issuer_not_available: 'retry-later',
  try_again_later: 'retry-later',
  do_not_try_again: 'do-not-retry',
  lost_card: 'do-not-retry',
  pickup_card: 'do-not-retry',
  restricted_card: 'do-not-retry',
  revocation_of_all_authorizations: 'do-not-retry',
  revocation_of_authorization: 'do-not-retry',
  stolen_card: 'do-not-retry',
  stop_payment_order: 'do-not-retry',
};

/** Builds the decline of a card: by the issuer, by Stripe's own checks, or because the payer would have to act, which is not supported. */
export function declinedOf(fault: Fault): Declined {
  const reason = fault.declineCode ?? fault.code ?? 'generic_decline';
  const authenticate = reason.startsWith('authentication_') || fault.code === 'authentication_required';
  const [resultCode, resultMessage] =
    meanings[reason] ?? meaning(authenticate ? codes.authenticationRequired : codes.doNotHonor);
  return {
    kind: 'declined',
    error: authenticate ? 'authentication-required' : 'declined-by-acquirer',
    resultCode,
    resultMessage,
    declineCode: authenticate ? 'authentication_required' : reason,
    ...defined({
      networkDeclineCode: fault.networkDeclineCode,
      networkAdviceCode: fault.networkAdviceCode,
      advice: adviceOfStripe[fault.adviceCode ?? ''] ?? adviceOfCode[reason],
    }),
  };
}

/** Returns Stripe's code of the error. Stripe's messages are not kept: they can repeat what was sent. */
const codeOf = ({ code, type }: Fault): string => code ?? type ?? 'no code';

/** Whether the secret key is wrong, or lacks the permission. */
export const isKeyRefused = ({ status }: Fault): boolean => status === 401 || status === 403;

/** Whether the amount is outside the account's bounds, which are known only from this refusal. A later try would be refused too. */
const refusesAmount = ({ code = '' }: Fault): boolean => code === 'amount_too_small' || code === 'amount_too_large';

function codeOfFailed(fault: Fault): ResponseCode {
  if (isKeyRefused(fault)) return codes.notPermittedToTerminal;
  return refusesAmount(fault) ? codes.notSupported : codes.formatError;
}

/** Builds the failure for a request that Stripe did not accept: it is invalid, or the secret key lacks the permission. */
export const failedOf = (fault: Fault): Failed => ({
  kind: 'failed',
  resultCode: codeOfFailed(fault),
  resultMessage: `Not done: refused by stripe (${codeOf(fault)})`,
});

/** Builds the decline of a capture, cancellation or refund that the state of the payment does not allow. */
const notAllowedOf = (fault: Fault): Declined => ({
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: fault.status === 404 ? codes.unknownRecord : codes.invalidTransaction,
  resultMessage: `Refused by stripe (${codeOf(fault)})`,
  declineCode: 'generic_decline',
});

/** Returns the result of a refused follow-up. A refusal of the secret key says nothing about the payment: the gateway retries its own. */
export const followUpRefusal = (fault: Fault): Declined | Failed =>
  isKeyRefused(fault) ? failedOf(fault) : notAllowedOf(fault);

/** The decline of an operation whose original was never sent. */
export const noOriginal: Declined = notAllowedOf({ status: 404, code: 'resource_missing' });

const STATUS_PAYMENT_REQUIRED = 402;
export const isDecline = ({ status, type }: Fault): boolean =>
  status === STATUS_PAYMENT_REQUIRED || type === 'card_error';
