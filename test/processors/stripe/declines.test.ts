/** Declines of Stripe (docs.stripe.com/declines/codes, docs.stripe.com/error-codes): their texts and advice for merchants. */
import { declinedOf, failedOf } from '../../../shared/processors/stripe/declines.js';

test.each([
  ['incorrect_zip', '05', 'Incorrect postal code', 'update-credentials'],
  ['incorrect_address', '05', 'Incorrect billing address', 'update-credentials'],
  ['invalid_cvc', 'N7', 'Decline for cvc failure', 'update-credentials'],
  ['invalid_expiry_month', '54', 'Invalid expiry', 'update-credentials'],
  ['invalid_expiry_year', '54', 'Invalid expiry', 'update-credentials'],
  ['invalid_number', '14', 'Invalid card number', 'update-credentials'],
  ['new_account_information_available', '14', 'The card has new data', 'update-credentials'],
  ['do_not_try_again', '05', 'Do not honor', 'do-not-retry'],
  ['testmode_decline', '14', 'A test card', undefined],
])('%s means %s %s with the advice %s', (declineCode, resultCode, resultMessage, advice) => {
  const said = declinedOf({ status: 402, type: 'card_error', code: 'card_declined', declineCode });
  expect(said).toEqual({
    kind: 'declined',
    error: 'declined-by-acquirer',
    resultCode,
    resultMessage,
    declineCode,
    ...(advice && { advice }),
  });
});

test('a card that Stripe limits for a day is declined as used too often, to be retried later', () => {
  expect(declinedOf({ status: 402, type: 'card_error', code: 'card_decline_rate_limit_exceeded' })).toMatchObject({
    resultCode: '65',
    advice: 'retry-later',
  });
});

test('the advice code of Stripe takes precedence over the advice of the decline code', () => {
  expect(
    declinedOf({ status: 402, code: 'card_declined', declineCode: 'invalid_number', adviceCode: 'do_not_try_again' }),
  ).toMatchObject({ advice: 'do-not-retry' });
});

test.each([
  [400, 'amount_too_small', '40'],
  [400, 'amount_too_large', '40'],
  [400, 'parameter_invalid_empty', '30'],
  [403, 'amount_too_small', '58'],
])('a refused request (%i %s) has the code %s', (status, code, resultCode) => {
  expect(failedOf({ status, type: 'invalid_request_error', code })).toEqual({
    kind: 'failed',
    resultCode,
    resultMessage: `Not done: refused by stripe (${code})`,
  });
});
