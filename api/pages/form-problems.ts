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

/** Field of the form and sentence, by the last part of the path in `params`. */
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

/** Returns the errors by field, from a refusal with status 400; empty when it names no field of the form. */
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

/** Paths that a payer cannot correct when the form has no such field. */
const onlyByShop = ['customerId', 'amount.total', 'amount.currency'];

/** Returns the sentence for a refusal that names no field of the form: the payer may correct something, or only the shop can. */
export const unclearSentence = ({ status, params }: GatewayError, texts: Texts): string =>
  status === 400 && !onlyByShop.some((path) => params?.[path] !== undefined) ? texts.somethingWrong : texts.askShop;

/** Reports empty fields as missing, which replaces the error that they are wrong. @param cvcRequired whether a new card needs its cvc. */
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
 * Explains why the attempt failed.
 * @param card as text, for example `Visa ending 0002`.
 * @param title `The payment did not go through`, or the title for saving a card.
 * @param triesLeft absent when no further try is possible
 */
export function refusalOf(
  error: {
    readonly code: ErrorCode;
    readonly declineCode?: string | undefined;
    readonly notTaken?: boolean;
    /** Whether the payer's next try is authenticated, because the issuer wants that. */
    readonly confirmNext?: boolean;
  },
  texts: Texts,
  card: string,
  title: string,
  triesLeft: number | undefined,
): Refusal {
  const said = refusalSentence[error.code]?.(texts) ?? texts.declinedBy(card);
  const asked = error.confirmNext && triesLeft !== undefined ? texts.confirmNext : said;
  const sentence = error.notTaken ? texts.notTaken : asked;
  // Only some decline codes have a sentence; the compiler wants those in each language.
  const reasons: Readonly<Record<string, string>> = texts.declinedFor;
  const why = reasons[error.declineCode ?? ''];
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

/** Fields beside the wallet's button: their errors are shown at the field. */
const besideWallet: readonly FieldName[] = ['total', 'currency', 'installments'];

/**
 * Explains why the wallet's token was refused. No payment was created, so the page itself could not know. Undefined for errors shown at
 * a field, and for those that the page shows itself: a decline, an outdated form, and what only the shop can correct.
 */
export function walletRefusalOf(error: GatewayError, texts: Texts): Refusal | undefined {
  if (error.params?.['customerId'] !== undefined) return undefined;
  const sentence = walletSentenceOf(error)?.(texts);
  if (sentence === undefined && error.status !== 400) return undefined;
  if (besideWallet.some((name) => fieldErrorsOf(error, texts)[name] !== undefined)) return undefined;
  return { title: texts.walletRefused, sentences: [sentence ?? texts.walletTokenRefused, texts.nothingCharged] };
}

/**
 * Explains why a bank transfer could not start: no route supports it, or it is no longer offered. Its form has no card to correct.
 * Undefined when the fields or the page itself show the reason.
 */
export const transferRefusalOf = (error: GatewayError, texts: Texts): Refusal | undefined =>
  error.code === 'invalid-card-payment-method' || error instanceof TransferNotOfferedError
    ? { title: texts.correctFirst, sentences: [texts.transferNotForPayment, texts.nothingCharged] }
    : undefined;
