/** Turns refusals of the flows into what a payer can do about them: a sentence by each field, or why the bank said no. */
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import type { GatewayError } from '../../shared/contract/gateway-error.js';
import { NoRouteError } from '../payments/route-payment.js';
import { CardTypeRefusedError } from '../sessions/hosted-card.js';
import { WalletNotOfferedError } from '../sessions/hosted-wallet.js';
import { TransferNotOfferedError } from '../sessions/transfer-session.js';
import type { Form } from './read-card-form.js';
import type { Texts } from './texts/en.js';
import { NEW_CARD } from './views/card-choice.view.js';
import type { FieldErrors, FieldName, Refusal } from './views/card-form.view.js';

type Sentence = (texts: Texts) => string;

/** By the last part of the field's path. */
const fieldOf: Readonly<Record<string, readonly [FieldName, Sentence]>> = {
  number: ['number', (texts) => texts.wrongNumber],
  expMonth: ['exp', (texts) => texts.wrongExpiry],
  expYear: ['exp', (texts) => texts.wrongExpiry],
  cvc: ['cvc', (texts) => texts.wrongCvc],
  cardholder: ['name', (texts) => texts.wrongName],
  firstName: ['name', (texts) => texts.wrongName],
  lastName: ['name', (texts) => texts.wrongName],
  total: ['total', (texts) => texts.wrongAmount],
  currency: ['currency', (texts) => texts.wrongCurrency],
  installments: ['installments', (texts) => texts.wrongInstallments],
};

const fieldOfCode: Partial<Readonly<Record<ErrorCode, readonly [FieldName, Sentence]>>> = {
  'invalid-card-number': ['number', (texts) => texts.wrongNumber],
  'invalid-card-expiration-date': ['exp', (texts) => texts.wrongExpiry],
  'invalid-card-cvc': ['cvc', (texts) => texts.wrongCvc],
  'invalid-cardholder': ['name', (texts) => texts.wrongName],
  'invalid-card-payment-method': ['number', (texts) => texts.wrongBrand],
  'wallet-a-pay-pan-only-cvc-required': ['savedCvc', (texts) => texts.missingCvc],
  'invalid-card-payment-method-token': ['source', (texts) => texts.wrongToken],
  'payment-invalid-amount': ['total', (texts) => texts.wrongAmount],
  'currency-not-found': ['currency', (texts) => texts.wrongCurrency],
};

/** What is wrong by field, from a refusal with status 400; empty when it names no field of the form. */
export function fieldErrorsOf(error: GatewayError, texts: Texts): FieldErrors {
  if (error instanceof CardTypeRefusedError) return { number: texts.wrongCardType };
  if (error instanceof NoRouteError) return { number: texts.wrongForAmount };
  const byCode = fieldOfCode[error.code];
  if (byCode) return { [byCode[0]]: byCode[1](texts) };
  const errors: Partial<Record<FieldName, string>> = {};
  for (const path of Object.keys(error.params ?? {})) {
    const known = fieldOf[path.split('.').at(-1) ?? ''];
    if (known) errors[known[0]] = known[1](texts);
  }
  return errors;
}

/** What a payer cannot correct where no field of the form is it. */
const onlyByShop = ['customerId', 'amount.total', 'amount.currency'];

/** Where no field of the form is wrong: the payer may correct something, or only the shop can. */
export const unclearSentence = ({ status, params }: GatewayError, texts: Texts): string =>
  status === 400 && !onlyByShop.some((path) => params?.[path] !== undefined) ? texts.somethingWrong : texts.askShop;

/** What a payer left empty is asked for; that it is wrong as well is not said. @param cvcRequired of a new card. */
export function missingFields(form: Form, errors: FieldErrors, texts: Texts, cvcRequired: boolean): FieldErrors {
  const isNew = (form['source'] ?? NEW_CARD) === NEW_CARD;
  return {
    ...(isNew && !form['number'] && { number: texts.missingNumber }),
    ...(isNew && !form['exp'] && { exp: texts.missingExpiry }),
    ...(!form['cvc'] && ((isNew && cvcRequired) || errors.cvc !== undefined) && { cvc: texts.missingCvc }),
  };
}

const refusalSentence: Partial<Readonly<Record<ErrorCode, Sentence>>> = {
  'acquirer-offline': (texts) => texts.offline,
  'authentication-required': (texts) => texts.notAuthenticated,
  'authentication-failed': (texts) => texts.notConfirmed,
  'funds-verification-failed': (texts) => texts.notVerified,
};

/**
 * Why the attempt failed.
 * @param card in words, for example `Visa ending 0002`.
 * @param title `The payment did not go through`, or that of saving a card.
 * @param triesLeft absent where nothing can be tried any more
 */
export function refusalOf(
  error: { readonly code: ErrorCode; readonly declineCode?: string | undefined; readonly notTaken?: boolean },
  texts: Texts,
  card: string,
  title: string,
  triesLeft: number | undefined,
): Refusal {
  const said = refusalSentence[error.code]?.(texts) ?? texts.declinedBy(card);
  const sentence = error.notTaken ? texts.notTaken : said;
  const why = texts.declinedFor[error.declineCode ?? ''];
  const left = triesLeft === undefined ? undefined : texts.triesLeft(triesLeft);
  return { title, sentences: [sentence, why, left].filter((text) => text !== undefined) };
}

const walletSentence: Partial<Readonly<Record<ErrorCode, Sentence>>> = {
  'wallet-a-pay-pan-only-cvc-required': (texts) => texts.walletNeedsCvc,
  'invalid-card-payment-method': (texts) => texts.walletCardNotTaken,
  'invalid-card-expiration-date': (texts) => texts.walletCardExpired,
};

function walletSentenceOf(error: GatewayError): Sentence | undefined {
  if (error instanceof WalletNotOfferedError) return (texts) => texts.walletGone;
  return error instanceof NoRouteError ? (texts) => texts.walletNotForAmount : walletSentence[error.code];
}

/** Fields that are beside the wallet's button where the payer says them: said at the field. */
const besideWallet: readonly FieldName[] = ['total', 'currency', 'installments'];

/**
 * Why what the wallet handed over was not taken: nothing was made of it, so the page itself would not know. Undefined for what
 * is said at a field, and for what the page says by itself: a decline, a form that is no longer the newest, and what only the shop can mend.
 */
export function walletRefusalOf(error: GatewayError, texts: Texts): Refusal | undefined {
  if (error.params?.['customerId'] !== undefined) return undefined;
  const sentence = walletSentenceOf(error)?.(texts);
  if (sentence === undefined && error.status !== 400) return undefined;
  if (besideWallet.some((name) => fieldErrorsOf(error, texts)[name] !== undefined)) return undefined;
  return { title: texts.walletRefused, sentences: [sentence ?? texts.walletTokenRefused, texts.nothingCharged] };
}

/**
 * Why a bank transfer was not begun where no route takes it, or where it is not offered any more. Its sheet has no card to correct.
 * Undefined for what the fields say, or the page by itself.
 */
export const transferRefusalOf = (error: GatewayError, texts: Texts): Refusal | undefined =>
  error.code === 'invalid-card-payment-method' || error instanceof TransferNotOfferedError
    ? { title: texts.correctFirst, sentences: [texts.transferNotForPayment, texts.nothingCharged] }
    : undefined;
