/** Refusals of Stripe in the words of the port (docs.stripe.com/declines/codes). */
import { defined } from '../../domain/defined.js';
import type { DeclineAdvice, Declined, Failed } from '../answers.js';
import type { Fault } from './calls.js';

/** ISO 8583 response code, and the text that merchants see. */
type Meaning = readonly [code: string, text: string];

const meanings: Readonly<Record<string, Meaning>> = {
  approve_with_id: ['91', 'Issuer or switch inoperative'],
  authentication_required: ['1A', 'Additional customer authentication required'],
  authentication_not_handled: ['1A', 'Additional customer authentication required'],
  call_issuer: ['01', 'Refer to the issuer'],
  card_not_supported: ['57', 'Transaction not permitted to cardholder'],
  card_velocity_exceeded: ['65', 'Exceeds frequency limit'],
  currency_not_supported: ['57', 'Currency not supported by the card'],
  do_not_honor: ['05', 'Do not honor'],
  duplicate_transaction: ['94', 'Duplicate transaction'],
  expired_card: ['54', 'Expired card'],
  fraudulent: ['59', 'Suspected fraud'],
  highest_risk_level: ['59', 'Suspected fraud'],
  incorrect_cvc: ['N7', 'Decline for cvc failure'],
  incorrect_number: ['14', 'Invalid card number'],
  insufficient_funds: ['51', 'Insufficient funds'],
  invalid_account: ['14', 'Invalid account'],
  invalid_amount: ['13', 'Invalid amount'],
  invalid_cvc: ['N7', 'Decline for cvc failure'],
  invalid_expiry_month: ['54', 'Invalid expiry'],
  invalid_expiry_year: ['54', 'Invalid expiry'],
  invalid_number: ['14', 'Invalid card number'],
  issuer_not_available: ['91', 'Issuer or switch inoperative'],
  lost_card: ['41', 'Lost card'],
  merchant_blacklist: ['05', 'Do not honor'],
  new_account_information_available: ['14', 'The card has new data'],
  no_action_taken: ['05', 'Do not honor'],
  not_permitted: ['57', 'Transaction not permitted to cardholder'],
  pickup_card: ['04', 'Pick up card'],
  processing_error: ['96', 'System malfunction'],
  reenter_transaction: ['19', 'Re-enter transaction'],
  restricted_card: ['62', 'Restricted card'],
  revocation_of_all_authorizations: ['R1', 'Revocation of all authorizations'],
  revocation_of_authorization: ['R0', 'Revocation of the authorization'],
  security_violation: ['63', 'Security violation'],
  service_not_allowed: ['57', 'Transaction not permitted to cardholder'],
  stolen_card: ['43', 'Stolen card'],
  stop_payment_order: ['R0', 'Stop payment order'],
  transaction_not_allowed: ['57', 'Transaction not permitted to cardholder'],
  try_again_later: ['91', 'Issuer or switch inoperative'],
  withdrawal_count_limit_exceeded: ['61', 'Exceeds amount limit'],
};

const adviceOfStripe: Readonly<Record<string, DeclineAdvice>> = {
  do_not_try_again: 'do-not-retry',
  try_again_later: 'retry-later',
  confirm_card_data: 'update-credentials',
};

/** Where Stripe gives none. */
const adviceOfCode: Readonly<Record<string, DeclineAdvice>> = {
  expired_card: 'update-credentials',
  incorrect_cvc: 'update-credentials',
  incorrect_number: 'update-credentials',
  invalid_account: 'update-credentials',
  insufficient_funds: 'retry-later',
  issuer_not_available: 'retry-later',
  try_again_later: 'retry-later',
  lost_card: 'do-not-retry',
  pickup_card: 'do-not-retry',
  restricted_card: 'do-not-retry',
  revocation_of_all_authorizations: 'do-not-retry',
  revocation_of_authorization: 'do-not-retry',
  stolen_card: 'do-not-retry',
  stop_payment_order: 'do-not-retry',
};

/** A card was declined: by the issuer, by Stripe's own checks, or because the payer would have to do something that cannot be done here. */
export function declinedOf(fault: Fault): Declined {
  const reason = fault.declineCode ?? fault.code ?? 'generic_decline';
  const authenticate = reason.startsWith('authentication_') || fault.code === 'authentication_required';
  const [resultCode, resultMessage] =
    meanings[reason] ?? (authenticate ? ['1A', 'Additional customer authentication required'] : ['05', 'Do not honor']);
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

/** Codes are Stripe's own words; texts of Stripe can repeat what was sent and are not kept. */
const codeOf = ({ code, type }: Fault): string => code ?? type ?? 'no code';

/** Stripe did not take the request: it is wrong, or the key may not do this. */
export const failedOf = (fault: Fault): Failed => ({
  kind: 'failed',
  resultCode: fault.status === 401 || fault.status === 403 ? '58' : '30',
  resultMessage: `Not done: refused by stripe (${codeOf(fault)})`,
});

/** A capture, cancellation or refund that the state of the payment does not allow. */
export const notAllowedOf = (fault: Fault): Declined => ({
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: fault.status === 404 ? '25' : '12',
  resultMessage: `Refused by stripe (${codeOf(fault)})`,
  declineCode: 'generic_decline',
});

/** The operation is about something that was never sent. */
export const noOriginal: Declined = notAllowedOf({ status: 404, code: 'resource_missing' });

const STATUS_PAYMENT_REQUIRED = 402;
export const isDecline = ({ status, type }: Fault): boolean =>
  status === STATUS_PAYMENT_REQUIRED || type === 'card_error';
