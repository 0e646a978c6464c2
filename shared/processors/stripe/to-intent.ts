/** Builds Stripe's parameters from a request of the port. Values that Stripe's API cannot take are refused here, before a byte goes out. */
import type { Stripe } from 'stripe';
import { defined } from '../../domain/defined.js';
import { toAscii } from '../../domain/plain-text.js';
import { responseCodes } from '../../domain/response-codes.js';
import type {
  AuthorizeRequest,
  Failed,
  ProcessorAddress,
  ProcessorCard,
  ProcessorPayer,
  StoredCredentialUse,
  ThreeDsProof,
} from '../processor.js';
import { toStripe } from './amounts.js';

type IntentParams = Stripe.PaymentIntentCreateParams;
type MethodParams = Stripe.PaymentMethodCreateParams;
type CardOptions = NonNullable<Exclude<NonNullable<IntentParams['payment_method_options']>['card'], ''>>;

/** Our keys in the metadata of a PaymentIntent or Refund. */
export const KEY = 'gateway_key';
export const CAPTURE_KEY = 'gateway_capture';

const DESCRIPTOR_LENGTH_MAX = 22;

const notSent = (what: string): Failed => ({
  kind: 'failed',
  resultCode: responseCodes.notSupported,
  resultMessage: `Not sent: stripe ${what}`,
});

const ours: ReadonlySet<string> = new Set([KEY, CAPTURE_KEY, 'gateway_reference', 'gateway_invoice']);
/** Stripe takes 50 metadata keys; the last of the gateway's own is added by a capture. */
const FIELDS_MAX = 50 - ours.size;

const tooManyFields = ({ fields = {} }: AuthorizeRequest['order']): boolean =>
  Object.keys(fields).filter((name) => !ours.has(name)).length > FIELDS_MAX;

/** Whether a field name has brackets, which Stripe refuses: in its form encoding they mean nesting. */
const hasBrackets = ({ fields = {} }: AuthorizeRequest['order']): boolean =>
  Object.keys(fields).some((name) => /[[\]]/.test(name));

/** Returns why the request is refused; `undefined` when it can be sent. */
export function refusalOf({
  amountMinor,
  currency,
  credential,
  merchant,
  money,
  order,
}: AuthorizeRequest): Failed | undefined {
  if (credential.clickToPay || !credential.card) return notSent('takes no click-to-pay check-out');
  if (credential.card.networkToken) return notSent('takes no network tokens or wallet cryptograms over its API');
  if (merchant.facilitator) return notSent('takes no sub-merchants of another payment facilitator');
  if (money.taxes?.some(({ law }) => law !== 'none')) return notSent('knows no tax law');
  if (money.installmentPlan !== undefined) return notSent('takes no code of an installment plan');
  if (tooManyFields(order)) return notSent(`takes no more than ${FIELDS_MAX} fields`);
  if (hasBrackets(order)) return notSent('takes no names of fields with [ or ]');
  return amountRefusal(amountMinor, currency);
}

export const amountRefusal = (amountMinor: number, currency: string): Failed | undefined =>
  toStripe(amountMinor, currency) === undefined ? notSent(`takes no such amount of ${currency}`) : undefined;

const addressOf = (address: ProcessorAddress) =>
  defined({
    line1: address.line1,
    line2: address.line2,
    city: address.city,
    state: address.state,
    postal_code: address.postalCode,
    country: address.country,
  });

const nameOf = ({ firstName, lastName }: ProcessorPayer): string | undefined =>
  [firstName, lastName].filter((part) => part !== undefined).join(' ') || undefined;

/** Builds a separate PaymentMethod for the card, because a PaymentIntent takes no card number. It moves no money. */
export function toMethod(card: ProcessorCard, payer: ProcessorPayer): MethodParams {
  const billing = defined({
    name: card.holderName ?? nameOf(payer),
    email: payer.email,
    phone: payer.phone,
    address: payer.address && addressOf(payer.address),
  });
  return {
    type: 'card',
    card: {
      number: card.number,
      exp_month: card.expMonth,
      exp_year: card.expYear,
      ...(card.cvc !== undefined && { cvc: card.cvc }),
    },
    ...(Object.keys(billing).length > 0 && { billing_details: billing }),
  };
}

/** ECIs that Stripe takes. It refuses a payment with any other, but accepts one without. */
const knownEcis: ReadonlySet<unknown> = new Set(['01', '02', '05', '06', '07']);

/** Builds the proof of 3D Secure; `{}` when one of the three parts that Stripe requires is missing. */
function proofOf(proof: ThreeDsProof | undefined): Pick<CardOptions, 'three_d_secure'> {
  const { version, authenticationValue, dsTransactionId, eci, transStatus: last, flow } = proof ?? {};
  if (version === undefined || authenticationValue === undefined || dsTransactionId === undefined) return {};
  // Stripe wants the issuer's first answer, before any challenge.
  const transStatus = flow === 'challenge' ? 'C' : last;
  return {
    three_d_secure: {
      version,
      cryptogram: authenticationValue,
      transaction_id: dsTransactionId,
      ...(eci !== undefined && knownEcis.has(eci) && { electronic_commerce_indicator: eci }),
      ...(transStatus !== undefined && { ares_trans_status: transStatus }),
    },
  };
}

const isByMerchant = (stored: StoredCredentialUse | undefined) => stored?.initiator === 'merchant';

function cardOptions({ proof, credential: { stored }, money: { installments = 1 } }: AuthorizeRequest): CardOptions {
  const plan = { type: 'fixed_count', interval: 'month', count: installments } as const;
  return {
    ...proofOf(proof),
    ...(isByMerchant(stored) && stored && { stored_credential_usage: stored.reason }),
    ...(stored?.use === 'first' && { setup_credential_usage: stored.reason }),
    ...(installments > 1 && { installments: { enabled: true, plan } }),
  };
}

/** Reduces a descriptor to plain letters, since Stripe refuses a payment with others; `undefined` when no letter remains. */
function suffixOf(descriptor = ''): string | undefined {
  const plain = toAscii(descriptor, '').replaceAll(/[<>\\'"*]/g, '');
  const clean = plain.slice(0, DESCRIPTOR_LENGTH_MAX).trim();
  return /[A-Za-z]/.test(clean) ? clean : undefined;
}

/** Builds the metadata from the merchant's fields, under their own names; the gateway's keys override them. */
const metadataOf = ({ key, order }: AuthorizeRequest) => ({
  ...order.fields,
  [KEY]: key,
  gateway_reference: order.referenceId,
  gateway_invoice: order.invoiceNumber,
});

function shippingOf({ shipping, ...payer }: ProcessorPayer): IntentParams['shipping'] | undefined {
  const name = shipping?.name ?? nameOf(payer);
  if (!shipping?.address || name === undefined) return undefined;
  return { name, address: addressOf(shipping.address), ...(shipping.phone !== undefined && { phone: shipping.phone }) };
}

/** Builds a PaymentIntent that is created and confirmed in one call. If the payer would have to act, Stripe refuses it. */
export function toIntent(request: AuthorizeRequest, paymentMethod: string): IntentParams {
  const { amountMinor, currency, capture, order, payer, credential } = request;
  const options = cardOptions(request);
  return {
    amount: toStripe(amountMinor, currency) ?? 0,
    currency: currency.toLowerCase(),
    confirm: true,
    payment_method: paymentMethod,
    payment_method_types: ['card'],
    capture_method: capture ? 'automatic' : 'manual',
    error_on_requires_action: true,
    expand: ['latest_charge'],
    metadata: metadataOf(request),
    payment_details: {
      order_reference: order.referenceId,
      ...(payer.customerReference !== undefined && { customer_reference: payer.customerReference }),
    },
    ...(Object.keys(options).length > 0 && { payment_method_options: { card: options } }),
    ...(isByMerchant(credential.stored) && { off_session: true }),
    ...(credential.stored?.use === 'first' && { setup_future_usage: 'off_session' as const }),
    ...defined({ statement_descriptor_suffix: suffixOf(order.statementDescriptor), shipping: shippingOf(payer) }),
  } as IntentParams;
}
