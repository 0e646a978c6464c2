/** PaymentIntents and Refunds in the words of the port. Pure. */
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

/** An amount that has no value in ours fits nothing that was sent. */
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

/** Shown as the ticket: what the merchant sees in Stripe's dashboard. */
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

const pendingOf = (said: Omit<Pending, 'kind' | 'resultMessage'>): Pending => ({
  kind: 'pending',
  resultMessage: 'Being processed',
  ...said,
});

/** It was made and nothing of it stands. */
const goneOf = (said: Pick<Failed, 'about' | 'processorReference' | 'ticket'>): Failed => ({
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

/** What became of an authorization or purchase. `requires_action` is none yet: it has to be cancelled first. */
export function authorizationOutcome(intent: WireIntent): Definitive | Pending | Unknown {
  const about = aboutOf(intent);
  const said = { about, ...namesOf(intent) };
  switch (intent.status) {
    case 'succeeded':
      return chargeOf(intent)?.refunded === true ? goneOf(said) : approvedOf(intent, about);
    case 'requires_capture':
      return approvedOf(intent, about);
    case 'processing':
      return pendingOf(said);
    case 'canceled':
      return goneOf(said);
    case 'requires_payment_method':
      // Without an error it was made and never confirmed.
      return intent.last_payment_error ? { ...declinedOf(lastFault(intent)), ...said } : unexpected(intent);
    default:
      return unexpected(intent);
  }
}

/** A card error with the PaymentIntent that it is about, where Stripe sends it along. */
export function declineOutcome(fault: Fault): Definitive {
  const intent = readIntent(fault.intent);
  return intent ? { ...declinedOf(fault), about: aboutOf(intent), ...namesOf(intent) } : declinedOf(fault);
}

/** What was captured; the key is that of the capture, which the caller looked for. */
export function captureOutcome(intent: WireIntent, key: string): Approved {
  const { amount_received: received } = intent;
  const about = aboutOf(intent, received ?? intent.amount);
  const { amountMinor, currency } = about;
  // What was captured is what counts, not what was held.
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
    // The payer has to do something for it: Stripe asks by itself.
    case 'requires_action':
      return pendingOf(said);
    case 'failed':
    case 'canceled':
      return { kind: 'declined', error: 'declined-by-acquirer', ...refundFailure(refund), ...said };
    default:
      return { kind: 'unknown', internal: `the refund is ${refund.status}`, processorReference: refund.id };
  }
}

/** Why a refund did not reach the payer. */
export const refundFailure = ({ failure_reason: reason, status }: Pick<WireRefund, 'failure_reason' | 'status'>) => ({
  resultCode:
    reason === 'expired_or_canceled_card'
      ? responseCodes.expiredCard
      : reason === 'lost_or_stolen_card'
        ? responseCodes.lostCard
        : responseCodes.doNotHonor,
  resultMessage: `The refund failed (${reason ?? status ?? 'no reason'})`,
});
