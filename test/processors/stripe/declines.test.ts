/** Declines of Stripe (docs.stripe.com/declines/codes, docs.stripe.com/error-codes): what merchants read of them, and what they are advised. */
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
])('%s: %s %s, advice %s', (declineCode, resultCode, resultMessage, advice) => {
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

test('a card that Stripe itself takes no more for a day: too often, and later', () => {
  expect(declinedOf({ status: 402, type: 'card_error', code: 'card_decline_rate_limit_exceeded' })).toMatchObject({
    resultCode: '65',
    advice: 'retry-later',
  });
});

test("the advice of Stripe's own goes before that of the code", () => {
  expect(
    declinedOf({ status: 402, code: 'card_declined', declineCode: 'invalid_number', adviceCode: 'do_not_try_again' }),
  ).toMatchObject({ advice: 'do-not-retry' });
});

test.each([
  [400, 'amount_too_small', '40'],
  [400, 'amount_too_large', '40'],
  [400, 'parameter_invalid_empty', '30'],
  [403, 'amount_too_small', '58'],
])('a request that is refused (%i %s) has the code %s', (status, code, resultCode) => {
  expect(failedOf({ status, type: 'invalid_request_error', code })).toEqual({
    kind: 'failed',
    resultCode,
    resultMessage: `Not done: refused by stripe (${code})`,
  });
});
