/** What helps after a decline. */
type Help = 'another card or way' | 'the data of the card' | 'later' | '3D Secure' | 'another operation';

type Meaning = readonly [helps: Help, text: string];

/**
 * Reasons of a decline, as callers see them in `declineCode`: the names are Stripe's (docs.stripe.com/declines/codes), and the other
 * adapters use the same ones. Stripe and the processors that are added may answer codes that are not in this list.
 */
export const declineCodes = {
  generic_decline: ['another card or way', 'no reason was given'],
  do_not_honor: ['another card or way', 'no reason was given'],
  no_action_taken: ['another card or way', 'no reason was given'],
  do_not_try_again: ['another card or way', 'no reason was given, and this card will not be approved'],
  do_not_retry: ['another card or way', 'too many tries with this card: further ones are not sent to the issuer'],
  call_issuer: ['another card or way', 'only the issuer can say why; the payer may call it'],
  card_not_supported: ['another card or way', 'the card does not support this kind of purchase'],
  currency_not_supported: ['another card or way', 'the card does not support the currency'],
  duplicate_transaction: [
    'another card or way',
    'a payment with the same amount and card was made a moment ago: look for it first',
  ],
  fraudulent: ['another card or way', 'suspected fraud. Tell the payer no reason'],
  highest_risk_level: ['another card or way', 'suspected fraud. Tell the payer no reason'],
  suspected_fraud: ['another card or way', 'suspected fraud. Tell the payer no reason'],
  invalid_amount: [
    'another card or way',
    'the amount is wrong, or more than the processor or the issuer allows: check it first',
  ],
  merchant_blacklist: [
    'another card or way',
    'blocked by a rule of the merchant at the processor. Tell the payer no reason',
  ],
  lost_card: ['another card or way', 'reported lost. Tell the payer no reason'],
  stolen_card: ['another card or way', 'reported stolen. Tell the payer no reason'],
  pickup_card: ['another card or way', 'reported lost or stolen, or blocked. Tell the payer no reason'],
  restricted_card: ['another card or way', 'the issuer has blocked the card'],
  security_violation: ['another card or way', 'refused by a rule of the issuer'],
  service_not_allowed: ['another card or way', 'not allowed with this card'],
  transaction_not_allowed: ['another card or way', 'not allowed with this card'],
  not_permitted: ['another card or way', 'not allowed with this card'],
  pin_try_exceeded: ['another card or way', 'too many wrong PINs'],
  incorrect_pin: ['another card or way', 'the issuer wants a PIN, which cannot be entered online'],
  revocation_of_all_authorizations: ['another card or way', 'the payer has revoked all charges of this merchant'],
  revocation_of_authorization: ['another card or way', 'the payer has revoked the recurring charge'],
  stop_payment_order: ['another card or way', 'the payer has stopped the charge'],
  testmode_decline: ['another card or way', 'a test card in production'],
  transfer_not_allowed: ['another card or way', 'the bank takes no transfer of this amount'],
  rejected_by_payer: ['another card or way', 'the payer has rejected the transfer at the bank'],
  partial_approval: [
    'another card or way',
    'approved for a part of the amount only, which the payment does not accept; it was returned',
  ],
  expired_card: ['the data of the card', 'the card has expired, or the date is wrong'],
  invalid_expiry_month: ['the data of the card', 'the expiry date is wrong'],
  invalid_expiry_year: ['the data of the card', 'the expiry date is wrong'],
  incorrect_cvc: ['the data of the card', 'the security code is wrong'],
  invalid_cvc: ['the data of the card', 'the security code is wrong'],
  incorrect_number: ['the data of the card', 'the number is wrong'],
  invalid_number: ['the data of the card', 'the number is wrong'],
  invalid_account: ['the data of the card', 'the account of the card is closed or does not exist'],
  new_account_information_available: ['the data of the card', 'the issuer has replaced the card or its date'],
  incorrect_address: ['the data of the card', 'the billing address is wrong'],
  incorrect_zip: ['the data of the card', 'the postal code is wrong'],
  insufficient_funds: ['later', 'the account does not have enough money'],
  amount_limit_exceeded: ['later', 'above the limit of the card'],
  withdrawal_count_limit_exceeded: ['later', 'above the limit of the card'],
  card_velocity_exceeded: ['later', 'too many payments or too high a sum with this card'],
  velocity_exceeded: ['later', 'too many payments with this card'],
  card_decline_rate_limit_exceeded: [
    'later',
    'too many declines of this card: the processor takes it again after a day',
  ],
  issuer_not_available: ['later', 'the issuer could not be reached'],
  approve_with_id: ['later', 'no reason was given'],
  processing_error: ['later', 'a technical problem of processor or issuer'],
  reenter_transaction: ['later', 'a technical problem of processor or issuer'],
  try_again_later: ['later', 'no reason was given'],
  authentication_required: ['3D Secure', 'the issuer wants 3D Secure: pay again with it'],
  amount_too_large: ['another operation', 'more than is left to capture or refund'],
  not_the_full_amount: ['another operation', 'the processor takes the whole amount only'],
  currency_mismatch: ['another operation', 'another currency than that of the payment'],
  already_captured: ['another operation', 'captured before'],
  already_cancelled: ['another operation', 'cancelled before'],
  already_refunded: ['another operation', 'refunded before'],
  not_captured: ['another operation', 'nothing was captured that could be refunded'],
  not_a_hold: ['another operation', 'nothing is held that could be captured or cancelled'],
  hold_expired: ['another operation', 'the hold has expired'],
  capture_denied: ['another operation', 'the issuer refuses the capture'],
  cancellation_refused: ['another operation', 'the processor refuses the cancellation'],
  original_not_found: ['another operation', 'the processor does not know the payment'],
} as const satisfies Record<string, Meaning>;

export type DeclineCode = keyof typeof declineCodes;
