/** What a payer reads about a refusal: a sentence at the wrong field. */

import { transferComplaint } from '../../api/pages/checkout/submit-checkout.js';
import { fieldErrorsOf, refusalOf, walletRefusalOf } from '../../api/pages/form-problems.js';
import type { HostedRequest } from '../../api/pages/http/hosted-request.js';
import { languages, textsOf } from '../../api/pages/language.js';
import { en } from '../../api/pages/texts/en.js';
import { NoRouteError } from '../../api/payments/route-payment.js';
import { CardTypeRefusedError } from '../../api/sessions/hosted-card.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';

test('an unsupported brand and an unsupported type of card have different sentences', () => {
  expect(fieldErrorsOf(new GatewayError('invalid-card-payment-method'), en)).toEqual({ number: en.wrongBrand });
  expect(fieldErrorsOf(new CardTypeRefusedError(), en)).toEqual({ number: en.wrongCardType });
  expect(new CardTypeRefusedError()).toMatchObject({
    code: 'invalid-card-payment-method',
    status: 400,
    publicMessage: 'This session does not accept cards of this type.',
    params: { number: ['is of a card type that is not accepted'] },
  });
});

test('a wallet card of an unsupported type is refused in the words of wallets', () => {
  expect(walletRefusalOf(new CardTypeRefusedError(), en)).toEqual({
    title: en.walletRefused,
    sentences: [en.walletCardNotTaken, en.nothingCharged],
  });
});

test("if no route accepts the wallet's card, the wallet is refused, not a type of card", () => {
  expect(walletRefusalOf(new NoRouteError('No route of the payment method takes this payment.'), en)).toEqual({
    title: en.walletRefused,
    sentences: [en.walletNotForAmount, en.nothingCharged],
  });
});

test.each(languages)('if no route accepts a bank transfer, the transfer is refused, not a card: %s', (language) => {
  const texts = textsOf[language];
  const asked = {
    form: { method: 'transfer' },
    language,
    hosted: { session: { settings: {} } },
  } as unknown as HostedRequest;
  // The form of the transfer has no card number to show an error at.
  expect(transferComplaint(new NoRouteError('No route of the payment method takes this payment.'), asked)).toEqual({
    errors: {},
    refusal: { title: texts.correctFirst, sentences: [texts.transferNotForPayment, texts.nothingCharged] },
    form: asked.form,
    status: 400,
  });
  expect(transferComplaint(new GatewayError('conflict'), asked)).toBeUndefined();
});

test.each(languages)('a payer whose next try is authenticated reads that paying again helps: %s', (language) => {
  const texts = textsOf[language];
  const sentencesOf = (confirmNext: boolean, triesLeft?: number) =>
    refusalOf({ code: 'authentication-required', confirmNext }, texts, texts.theCard, texts.declined, triesLeft)
      .sentences;
  expect(sentencesOf(true, 4)).toEqual([texts.confirmNext, texts.triesLeft(4)]);
  expect(sentencesOf(false, 4)).toEqual([texts.notAuthenticated, texts.triesLeft(4)]);
  // Nothing can be paid on this page any more.
  expect(sentencesOf(true)).toEqual([texts.notAuthenticated]);
});

test('a payment that the processor never accepts is not described as an unreachable bank', () => {
  const sentencesOf = (notTaken: boolean) =>
    refusalOf({ code: 'acquirer-offline', notTaken }, en, en.theCard, en.declined, 4).sentences;
  expect(sentencesOf(true)).toEqual([en.notTaken, en.triesLeft(4)]);
  expect(sentencesOf(false)).toEqual([en.offline, en.triesLeft(4)]);
});

test('a field is found by the last part of its path', () => {
  const params = {
    'paymentMethod.card.expYear': ['is over'],
    'card.cardholder.firstName': ['is missing'],
    other: ['x'],
  };
  expect(fieldErrorsOf(new GatewayError('request-validation-errors', { params }), en)).toEqual({
    exp: en.wrongExpiry,
    name: en.wrongName,
  });
});
