/** Converts answers to `/payments` to outcomes of the port. Pure. */
import { defined } from '../../domain/defined.js';
import { responseCodes } from '../../domain/response-codes.js';
import type { AnswerSubject, Definitive, Pending, SendResult } from '../processor.js';
import { fromAdyenValue } from './currency.js';
import type { AdyenNotification } from './notification.js';
import { checksOf, declineDetails, refusalOf } from './refusals.js';
import type { AdyenAmount, AdyenAnswer } from './wire.js';

/** Used for an amount that cannot be expressed in our minor units: it never equals an amount that was sent. */
const NO_AMOUNT = -1;

export const amountOf = ({ value, currency }: AdyenAmount): AnswerSubject => ({
  amountMinor: fromAdyenValue(value, currency) ?? NO_AMOUNT,
  currency,
});

const aboutOf = ({ merchantReference: key, amount }: AdyenAnswer): AnswerSubject => ({
  ...defined({ key }),
  ...(amount && amountOf(amount)),
});

const named = ({ pspReference }: AdyenAnswer) => defined({ processorReference: pspReference, ticket: pspReference });

/** References by which later payments of the same card refer to this one. */
export const networkNames = (additionalData: Readonly<Record<string, string>>) =>
  defined({
    networkTransactionId: additionalData.networkTxReference ?? additionalData.visaTransactionId,
    networkLinkId: additionalData.transactionLinkId,
  });

/** Whether Adyen's risk rules sent the approved payment to case management. */
export const isInReview = ({ fraudManualReview }: Readonly<Record<string, string>>): boolean =>
  fraudManualReview?.toLowerCase() === 'true';

/** Builds an approval; `undefined` without Adyen's reference, since the payment could then never be captured, refunded or cancelled. */
function approved(answer: AdyenAnswer): Definitive | undefined {
  const { additionalData = {}, pspReference } = answer;
  if (pspReference === undefined) return undefined;
  return {
    kind: 'approved',
    about: aboutOf(answer),
    resultCode: responseCodes.approved,
    resultMessage: 'Approved',
    ...named(answer),
    ...networkNames(additionalData),
    ...checksOf(additionalData),
    ...defined({ authorization: additionalData.authCode || undefined }),
    ...(isInReview(additionalData) && { inReview: true }),
  };
}

type Authorised = Pick<AdyenNotification, 'amount' | 'additionalData'>;

/** Returns the authorized amount, if Adyen sends it in addition to the amount (Customer Area, additional data). */
export function authorisedOf({ amount, additionalData = {} }: Partial<Authorised>): AnswerSubject | undefined {
  const { authorisedAmountValue: value, authorisedAmountCurrency: currency = amount?.currency } = additionalData;
  return value === undefined || currency === undefined ? undefined : amountOf({ value: Number(value), currency });
}

/** Builds a partial approval: less is authorized than was requested, and the answer repeats the smaller amount. */
function approvedInPart(answer: AdyenAnswer, sent: AnswerSubject): Definitive | undefined {
  const explicit = authorisedOf(answer);
  const { amountMinor: approvedMinor, currency } = explicit ?? (answer.amount ? amountOf(answer.amount) : {});
  if (currency === undefined || approvedMinor === undefined) return undefined;
  const about = { ...defined({ key: answer.merchantReference }), currency };
  const whole = approved(answer);
  if (!whole) return undefined;
  // The explicit authorized amount is the whole amount requested, so this is no partial approval.
  if (explicit && approvedMinor === sent.amountMinor) return { ...whole, about };
  return { ...whole, about, approvedMinor } as Definitive;
}

/** Builds an approval; a partial one when the additional authorized amount is smaller, as in a notification. */
function authorised(answer: AdyenAnswer, sent: AnswerSubject): Definitive | undefined {
  const { amountMinor: part = 0, currency } = authorisedOf(answer) ?? {};
  const isPart = currency === sent.currency && part > 0 && part < (sent.amountMinor ?? 0);
  return isPart ? approvedInPart(answer, sent) : approved(answer);
}

const MESSAGE_MAX = 100;
const messageOf = ({ refusalReason }: AdyenAnswer) => refusalReason?.slice(0, MESSAGE_MAX) || 'Refused';

function declined(answer: AdyenAnswer): Definitive {
  const { iso, declineCode, authenticate } = refusalOf(answer.refusalReasonCode);
  return {
    kind: 'declined',
    error: authenticate ? 'authentication-required' : 'declined-by-acquirer',
    about: aboutOf(answer),
    resultCode: iso,
    resultMessage: messageOf(answer),
    declineCode,
    ...named(answer),
    ...networkNames(answer.additionalData ?? {}),
    ...checksOf(answer.additionalData),
    ...declineDetails(answer),
  };
}

const failed = (answer: AdyenAnswer): Definitive => ({
  kind: 'failed',
  about: aboutOf(answer),
  resultCode:
    refusalOf(answer.refusalReasonCode).iso === responseCodes.issuerInoperative
      ? responseCodes.issuerInoperative
      : responseCodes.systemMalfunction,
  resultMessage: messageOf(answer),
  ...named(answer),
});

const pending = (answer: AdyenAnswer): Pending => ({
  kind: 'pending',
  about: aboutOf(answer),
  resultMessage: 'Received',
  ...named(answer),
});

/** By `resultCode`. A code that is not here wants an action of the payer, or is new: such a payment must not stay open. */
const byResult: Readonly<Record<string, (answer: AdyenAnswer, sent: AnswerSubject) => SendResult | undefined>> = {
  Authorised: authorised,
  PartiallyAuthorised: approvedInPart,
  Refused: declined,
  Cancelled: declined,
  Error: failed,
  Pending: pending,
  Received: pending,
};

/**
 * @param sent key, amount and currency of the request
 * @returns `open` when Adyen wants an action of the payer, by a redirect or a challenge of its own
 */
export function toOutcome(answer: AdyenAnswer, sent: AnswerSubject): SendResult | 'open' {
  if (!Object.hasOwn(byResult, answer.resultCode)) return 'open';
  return byResult[answer.resultCode]?.(answer, sent) ?? { kind: 'unknown', internal: 'the answer has another shape' };
}

/** Builds the decline of a payment for which Adyen wanted an action of the payer, which is not supported; it was cancelled at Adyen. */
export const payerActionDecline = (answer: AdyenAnswer): Definitive => ({
  kind: 'declined',
  error: 'authentication-required',
  about: aboutOf(answer),
  resultCode: responseCodes.authenticationRequired,
  resultMessage: 'Adyen asks for the payer, which is not supported; cancelled',
  declineCode: 'authentication_required',
  ...named(answer),
});
