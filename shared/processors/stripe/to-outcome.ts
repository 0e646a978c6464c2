/** Converts PaymentIntents and Refunds to outcomes of the port. Pure. */
import { defined } from '../../domain/defined.js';
import { responseCodes } from '../../domain/response-codes.js';
import type {
  AnswerSubject,
  Approved,
  Definitive,
  Failed,
  NetworkAnswer,
  Pending,
  SendResult,
  Unknown,
} from '../processor.js';
import { fromStripe } from './amounts.js';
import { readIntent, type WireCharge, type WireIntent, type WireRefund } from './answer.schema.js';
import type { Fault } from './calls.js';
import { declinedOf } from './declines.js';
import { KEY } from './to-intent.js';

/** Used for an amount that cannot be expressed in our minor units: it never equals an amount that was sent. */
const NO_AMOUNT = -1;

function aboutOf(wire: Pick<WireIntent, 'amount' | 'currency' | 'metadata'>, amount = wire.amount): AnswerSubject {
  const currency = wire.currency.toUpperCase();
  return {
    key: wire.metadata?.[KEY] ?? '',
    amountMinor: fromStripe(amount, currency) ?? NO_AMOUNT,
    currency,
  };
}

const chargeOf = ({ latest_charge: charge }: WireIntent): WireCharge | undefined =>
  typeof charge === 'object' && charge !== null ? charge : undefined;

const checkResults = { pass: 'match', fail: 'no-match', unavailable: 'not-checked', unchecked: 'not-checked' } as const;
const checkOf = (check: string | null | undefined) => checkResults[check as keyof typeof checkResults];

function checksOf(charge: WireCharge | undefined): Pick<NetworkAnswer, 'checks'> {
  const checks = charge?.payment_method_details?.card?.checks;
  const address = checkOf(checks?.address_line1_check);
  const postalCode = checkOf(checks?.address_postal_code_check);
  const cvc = checkOf(checks?.cvc_check);
  const avs = address || postalCode ? defined({ address, postalCode }) : undefined;
  return avs || cvc ? { checks: defined({ avs, cvc: cvc && { result: cvc } }) } : {};
}

/** Returns Stripe's references. The ticket is the id that the merchant sees in Stripe's dashboard. */
const namesOf = (intent: WireIntent) => ({
  processorReference: intent.id,
  ticket: chargeOf(intent)?.id ?? (typeof intent.latest_charge === 'string' ? intent.latest_charge : intent.id),
});

function approvedOf(intent: WireIntent, about: AnswerSubject): Approved {
  const charge = chargeOf(intent);
  const card = charge?.payment_method_details?.card;
  const holdMs = card?.capture_before ? (card.capture_before - intent.created) * 1000 : undefined;
  return {
    kind: 'approved',
    resultCode: responseCodes.approved,
    resultMessage: 'Approved',
    about,
    ...namesOf(intent),
    ...checksOf(charge),
    ...defined({
      authorization: charge?.authorization_code ?? card?.authorization_code ?? undefined,
      networkTransactionId: card?.network_transaction_id ?? undefined,
      holdMs: holdMs !== undefined && holdMs > 0 ? holdMs : undefined,
    }),
  };
}

/** Builds the approval of a payment. Stripe's risk rules may have placed it in review, although the money is taken or held. */
function approvedPayment(intent: WireIntent, about: AnswerSubject): Approved {
  const inReview = chargeOf(intent)?.outcome?.type === 'manual_review';
  return { ...approvedOf(intent, about), ...(inReview && { inReview }) };
}

const pendingOf = (said: Omit<Pending, 'kind' | 'resultMessage'>): Pending => ({
  kind: 'pending',
  resultMessage: 'Being processed',
  ...said,
});

/** Builds the outcome of a payment that was created and then cancelled or fully refunded. */
const reversedOutcome = (said: Pick<Failed, 'about' | 'processorReference' | 'ticket'>): Failed => ({
  kind: 'failed',
  resultCode: responseCodes.cancelled,
  resultMessage: 'Cancelled or reversed at stripe',
  ...said,
});

const lastFault = ({ last_payment_error: error }: WireIntent): Fault => {
  const raw = (error ?? {}) as Record<string, string | undefined>;
  return {
    status: 402,
    ...defined({
      type: raw['type'],
      code: raw['code'],
      declineCode: raw['decline_code'],
      adviceCode: raw['advice_code'],
      networkDeclineCode: raw['network_decline_code'],
      networkAdviceCode: raw['network_advice_code'],
    }),
  };
};

const unexpected = (intent: WireIntent): Unknown => ({
  kind: 'unknown',
  internal: `the PaymentIntent is ${intent.status}`,
  processorReference: intent.id,
});

/** Returns the outcome of an authorization or purchase. `requires_action` is no outcome yet: the payment has to be cancelled first. */
export function authorizationOutcome(intent: WireIntent): Definitive | Pending | Unknown {
  const about = aboutOf(intent);
  const said = { about, ...namesOf(intent) };
  switch (intent.status) {
    case 'succeeded':
      return chargeOf(intent)?.refunded === true ? reversedOutcome(said) : approvedPayment(intent, about);
    case 'requires_capture':
      return approvedPayment(intent, about);
    case 'processing':
      return pendingOf(said);
    case 'canceled':
      return reversedOutcome(said);
    case 'requires_payment_method':
      // Without an error the PaymentIntent was created but never confirmed.
      return intent.last_payment_error ? { ...declinedOf(lastFault(intent)), ...said } : unexpected(intent);
    default:
      return unexpected(intent);
  }
}

/** Returns the decline for a card error, with the references of its PaymentIntent if Stripe sent one. */
export function declineOutcome(fault: Fault): Definitive {
  const intent = readIntent(fault.intent);
  return intent ? { ...declinedOf(fault), about: aboutOf(intent), ...namesOf(intent) } : declinedOf(fault);
}

/** Returns the outcome of a capture. `key` is the key of the capture that the caller looked for. */
export function captureOutcome(intent: WireIntent, key: string): Approved {
  const { amount_received: received } = intent;
  const about = aboutOf(intent, received ?? intent.amount);
  const { amountMinor, currency } = about;
  // The captured amount counts, not the amount of the hold.
  const said = received === undefined || received === null ? { key, currency } : { key, amountMinor, currency };
  return approvedOf(intent, defined(said));
}

export function cancelOutcome(intent: WireIntent, key: string): Approved {
  return approvedOf(intent, { ...aboutOf(intent), key });
}

export function refundOutcome(refund: WireRefund): SendResult {
  const said = { about: aboutOf(refund), processorReference: refund.id, ticket: refund.id };
  switch (refund.status) {
    case 'succeeded':
      return { kind: 'approved', resultCode: responseCodes.approved, resultMessage: 'Approved', ...said };
    case 'pending':
    // The payer has to act before the refund is paid out: Stripe contacts the payer by itself.
    case 'requires_action':
      return pendingOf(said);
    case 'failed':
    case 'canceled':
      return { kind: 'declined', error: 'declined-by-acquirer', ...refundFailure(refund), ...said };
    default:
      return { kind: 'unknown', internal: `the refund is ${refund.status}`, processorReference: refund.id };
  }
}

/** Returns the reason why a refund did not reach the payer. */
export const refundFailure = ({ failure_reason: reason, status }: Pick<WireRefund, 'failure_reason' | 'status'>) => ({
  resultCode:
    reason === 'expired_or_canceled_card'
      ? responseCodes.expiredCard
      : reason === 'lost_or_stolen_card'
        ? responseCodes.lostCard
        : responseCodes.doNotHonor,
  resultMessage: `The refund failed (${reason ?? status ?? 'no reason'})`,
});
