/**
 * Reads webhooks of Stripe. An event of a payment only says that something changed: its outcome is then read from the API. Failed
 * refunds, disputes and the end of a hold are read from the event itself.
 */
import Joi from 'joi';
import { defined } from '../../domain/defined.js';
import type { DisputeStatus, ProcessorUpdate, RawUpdate, UpdateAnswer, UpdateReader } from '../updates.js';
import { fromStripe } from './amounts.js';
import { readIntent, readRefund, type WireRefund } from './answer.schema.js';
import { endOfHold } from './end-of-hold.js';
import { type About, type Read, text } from './event-reader.js';
import { readFraudWarning, readReview } from './read-risk-event.js';
import { CAPTURE_KEY, KEY } from './to-intent.js';
import { refundFailure } from './to-outcome.js';

/** Largest age of a signature: the default of Stripe's client. */
const TOLERANCE_SECONDS = 300;

interface Event {
  readonly id: string;
  readonly type: string;
  readonly created: number;
  readonly livemode?: boolean;
  readonly data: { readonly object: { readonly object?: string } };
}

const eventSchema = Joi.object({
  id: Joi.string().max(255).required(),
  object: Joi.valid('event').required(),
  type: Joi.string().max(200).required(),
  created: Joi.number().integer().required(),
  livemode: Joi.boolean(),
  data: Joi.object({ object: Joi.object({ object: Joi.string() }).unknown().required() })
    .unknown()
    .required(),
})
  .unknown()
  .required();

/** Statuses of a PaymentIntent that holds or has taken the money. */
const approvedStatuses: ReadonlySet<string> = new Set(['requires_capture', 'succeeded']);

const readPayment: Read = (object, about) => {
  const intent = readIntent(object);
  if (!intent) return undefined;
  const { [KEY]: key, [CAPTURE_KEY]: captureKey } = intent.metadata ?? {};
  // The payment was not made by a gateway: another program uses the same account.
  if (key === undefined) return [];
  const changed = { ...about, kind: 'changed', processorReference: intent.id } as const;
  // Stripe may complete a failed request later, when the payment has been given up here (docs.stripe.com/error-low-level).
  const isApproved = approvedStatuses.has(intent.status) && ({ isApproved: true } as const);
  const ofPayment = { ...changed, key, ...isApproved, ...endOfHold(intent, key) };
  if (captureKey === undefined) return [ofPayment];
  return [ofPayment, { ...changed, key: captureKey, eventId: `${about.eventId}:capture` }];
};

const isOver = ({ status }: WireRefund): boolean => status === 'failed' || status === 'canceled';

function subjectOf({ amount, currency: code }: WireRefund) {
  const currency = code.toUpperCase();
  const amountMinor = fromStripe(amount, currency);
  return amountMinor === undefined ? undefined : { amountMinor, currency };
}

function ownRefund(refund: WireRefund, key: string, about: About): readonly ProcessorUpdate[] | undefined {
  const named = { ...about, key, processorReference: refund.id };
  if (!isOver(refund)) return [{ ...named, kind: 'changed' }];
  const subject = subjectOf(refund);
  return subject && [{ ...named, kind: 'refund-failed', about: { key, ...subject }, ...refundFailure(refund) }];
}

/** Whether a refund only releases an expired hold and returns no money (API versions before `2025-03-31.basil`). */
const isRelease = ({ reason }: WireRefund): boolean => reason === 'expired_uncaptured_charge';

/** Reads a refund that was made at the dashboard, or by another program with the same account. */
function foreignRefund(refund: WireRefund, about: About): readonly ProcessorUpdate[] {
  const { id: processorReference, status, payment_intent: of } = refund;
  const subject = subjectOf(refund);
  if (!of || !subject || isRelease(refund)) return [];
  const named = { ...about, processorReference, mayBeForeign: true } as const;
  if (isOver(refund)) return [{ ...named, kind: 'refund-failed', about: subject, ...refundFailure(refund) }];
  // A pending refund has another event when its money moves.
  if (status !== 'succeeded') return [];
  return [{ ...named, kind: 'changed', done: { kind: 'refund', of, processorReference, ...subject } }];
}

const readRefundEvent: Read = (object, about) => {
  const refund = readRefund(object);
  if (!refund) return undefined;
  const key = refund.metadata?.[KEY];
  return key === undefined ? foreignRefund(refund, about) : ownRefund(refund, key, about);
};

interface WireDispute {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly currency: string;
  readonly reason?: string | null;
  readonly network_reason_code?: string | null;
  readonly payment_intent?: string | null;
  readonly evidence_details?: { readonly due_by?: number | null } | null;
  readonly payment_method_details?: { readonly card?: { readonly case_type?: string | null } | null } | null;
}

const disputeSchema = Joi.object({
  object: Joi.valid('dispute').required(),
  id: Joi.string().max(255).required(),
  status: Joi.string().max(255).required(),
  amount: Joi.number().integer().min(0).required(),
  currency: Joi.string().length(3).required(),
  reason: text,
  network_reason_code: text,
  payment_intent: text,
  evidence_details: Joi.object({ due_by: Joi.number().integer().allow(null) })
    .unknown()
    .allow(null),
  payment_method_details: Joi.object({ card: Joi.object({ case_type: text }).unknown().allow(null) })
    .unknown()
    .allow(null),
})
  .unknown()
  .required();

const disputeStatuses: Readonly<Record<string, DisputeStatus>> = {
  warning_needs_response: 'inquiry',
  warning_under_review: 'inquiry',
  warning_closed: 'closed',
  // Resolved by a rule of the merchant, for example with Visa's RDR: Stripe refunds the payer, and that is final.
  prevented: 'lost',
  needs_response: 'open',
  appeal_needs_response: 'open',
  under_review: 'under-review',
  appeal_under_review: 'under-review',
  won: 'won',
  lost: 'lost',
};

/** Returns the status; `undefined` when it is not known. A dispute that Stripe blocked never took the money. */
function statusOf({ status, payment_method_details: details }: WireDispute): DisputeStatus | undefined {
  return status === 'prevented' && details?.card?.case_type === 'block' ? 'closed' : disputeStatuses[status];
}

const readDispute: Read = (object, about) => {
  const { error, value } = disputeSchema.validate(object, { convert: false });
  if (error) return undefined;
  const dispute = value as WireDispute;
  const currency = dispute.currency.toUpperCase();
  const amountMinor = fromStripe(dispute.amount, currency);
  const status = statusOf(dispute);
  if (amountMinor === undefined || status === undefined) return undefined;
  // The gateway makes no charges without a PaymentIntent.
  if (!dispute.payment_intent) return [];
  const dueBy = dispute.evidence_details?.due_by;
  return [
    {
      ...about,
      kind: 'dispute',
      processorReference: dispute.payment_intent,
      disputeId: dispute.id,
      status,
      amountMinor,
      currency,
      ...defined({
        reason: dispute.reason || undefined,
        networkReasonCode: dispute.network_reason_code || undefined,
        respondBy: dueBy ? new Date(dueBy * 1000) : undefined,
      }),
    },
  ];
};

/** Readers by type of event. Other types are acknowledged and ignored. */
const readers: readonly { readonly types: RegExp; readonly read: Read }[] = [
  { types: /^payment_intent\./, read: readPayment },
  { types: /^(refund|charge\.refund)\./, read: readRefundEvent },
  { types: /^charge\.dispute\./, read: readDispute },
  { types: /^radar\.early_fraud_warning\.created$/, read: readFraudWarning },
  { types: /^review\.(opened|closed)$/, read: readReview },
];

/** Whether the signature is valid under this secret. The client throws for an invalid one; its reason is not needed. */
async function verifies({ body, headers, now }: RawUpdate, secret: string): Promise<boolean> {
  const { Stripe } = await import('stripe');
  const header = headers['stripe-signature'];
  const { signature } = Stripe.webhooks;
  if (typeof header !== 'string' || !signature) return false;
  try {
    return signature.verifyHeader(body, header, secret, TOLERANCE_SECONDS, undefined, now.getTime()) === true;
  } catch {
    return false;
  }
}

/** Whether the signature is valid under one of the secrets: while a secret is being changed there are two. */
async function isSigned(raw: RawUpdate, secrets: readonly string[]): Promise<boolean> {
  for (const secret of secrets) if (await verifies(raw, secret)) return true;
  return false;
}

function parse(body: Buffer): Event | undefined {
  try {
    const { error, value } = eventSchema.validate(JSON.parse(body.toString('utf8')), { convert: false });
    return error ? undefined : (value as Event);
  } catch {
    return undefined;
  }
}

/** Splits a list at its commas and removes spaces around each secret. */
const secretsIn = (text = ''): readonly string[] =>
  text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');

/**
 * @param installationSecrets separated by commas; absent when only merchants have webhooks
 * @param liveOnly ignores events of test mode, which Stripe also sends to the live webhook of a platform
 *   when they are of a connected account (docs.stripe.com/connect/webhooks)
 */
export function createStripeUpdateReader(installationSecrets?: string, liveOnly = false): UpdateReader {
  const ofInstallation = secretsIn(installationSecrets);
  return {
    async read(raw): Promise<UpdateAnswer> {
      const secrets = raw.credentials ? secretsIn(raw.credentials['webhookSecret']) : ofInstallation;
      if (!(await isSigned(raw, secrets))) {
        const internal =
          secrets.length === 0 ? 'no secret is configured' : 'the signature is missing, wrong or too old';
        return { kind: 'unverified', internal };
      }
      const event = parse(raw.body);
      if (!event) return { kind: 'unreadable', internal: 'the body is no event' };
      const { object } = event.data;
      const reader = readers.find(({ types }) => types.test(event.type));
      if (!reader || (liveOnly && event.livemode === false)) return { kind: 'verified', updates: [] };
      const updates = reader.read(object, { eventId: event.id, at: new Date(event.created * 1000) });
      return updates
        ? { kind: 'verified', updates }
        : { kind: 'unreadable', internal: 'the event has another shape than its type' };
    },
  };
}
