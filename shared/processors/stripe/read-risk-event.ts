/** Reads Stripe's events about the risk of a payment: reports of fraud by the issuer, and reviews by a person. No money moves by them. */
import Joi from 'joi';
import { defined } from '../../domain/defined.js';
import type { ReviewState } from '../../domain/payment/plan-review.js';
import { type Read, text } from './event-reader.js';

interface WireFraudWarning {
  readonly payment_intent?: string | null;
  readonly fraud_type?: string | null;
}

const fraudWarningSchema = Joi.object({
  object: Joi.valid('radar.early_fraud_warning').required(),
  payment_intent: text,
  fraud_type: text,
})
  .unknown()
  .required();

/** Reads that the issuer reported the payment as fraud. It may be a payment of another program with the same account. */
export const readFraudWarning: Read = (object, about) => {
  const { error, value } = fraudWarningSchema.validate(object, { convert: false });
  if (error) return undefined;
  const { payment_intent: processorReference, fraud_type: reason } = value as WireFraudWarning;
  if (!processorReference) return [];
  const named = { ...about, processorReference, mayBeForeign: true } as const;
  return [{ ...named, kind: 'fraud-report', ...defined({ reason: reason || undefined }) }];
};

interface WireReview {
  readonly open: boolean;
  readonly closed_reason?: string | null;
  readonly payment_intent?: string | null;
}

const reviewSchema = Joi.object({
  object: Joi.valid('review').required(),
  open: Joi.boolean().required(),
  closed_reason: text,
  payment_intent: text,
})
  .unknown()
  .required();

/** Decisions of a person in Radar, by the reason for which the review was closed. With any other reason there is nothing to decide. */
const decisions: Readonly<Record<string, ReviewState>> = {
  approved: 'accepted',
  refunded: 'rejected',
  refunded_as_fraud: 'rejected',
};

/** Reads that a payment is held for review, or that its review has ended. */
export const readReview: Read = (object, about) => {
  const { error, value } = reviewSchema.validate(object, { convert: false });
  if (error) return undefined;
  const { open, closed_reason: reason, payment_intent: processorReference } = value as WireReview;
  const state = open ? 'opened' : decisions[reason ?? ''];
  if (!processorReference || state === undefined) return [];
  return [{ ...about, kind: 'review', processorReference, state, mayBeForeign: true }];
};
