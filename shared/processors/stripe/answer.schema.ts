/** Schemas of Stripe's answers; any other shape is an unknown outcome. Fields that the gateway does not read may change. */
import Joi from 'joi';
import { answerReader } from '../../answer-reader.js';

const ID_LENGTH_MAX = 255;
const TEXT_LENGTH_MAX = 200;

const id = Joi.string().max(ID_LENGTH_MAX);
const text = Joi.string().max(TEXT_LENGTH_MAX).allow(null);
const metadata = Joi.object()
  .pattern(
    Joi.string(),
    Joi.string()
      .allow('')
      .max(ID_LENGTH_MAX * 2),
  )
  .allow(null);
const currency = Joi.string().length(3).lowercase();
const amount = Joi.number().integer().min(0);

interface CardDetails {
  readonly authorization_code?: string | null;
  readonly network_transaction_id?: string | null;
  readonly capture_before?: number | null;
  readonly checks?: {
    readonly address_line1_check?: string | null;
    readonly address_postal_code_check?: string | null;
    readonly cvc_check?: string | null;
  } | null;
}

export interface WireCharge {
  readonly id: string;
  readonly refunded?: boolean;
  readonly authorization_code?: string | null;
  readonly outcome?: { readonly type?: string | null } | null;
  readonly payment_method_details?: { readonly card?: CardDetails | null } | null;
}

export interface WireIntent {
  readonly id: string;
  readonly status: string;
  readonly amount: number;
  readonly amount_received?: number | null;
  readonly currency: string;
  readonly capture_method?: string | null;
  readonly cancellation_reason?: string | null;
  readonly created: number;
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly latest_charge?: WireCharge | string | null;
  readonly last_payment_error?: object | null;
}

export interface WireRefund {
  readonly id: string;
  readonly status: string | null;
  readonly amount: number;
  readonly currency: string;
  readonly metadata?: Readonly<Record<string, string>> | null;
  readonly failure_reason?: string | null;
  readonly reason?: string | null;
  readonly payment_intent?: string | null;
}

const card = Joi.object({
  authorization_code: text,
  network_transaction_id: text,
  capture_before: Joi.number().integer().allow(null),
  checks: Joi.object({ address_line1_check: text, address_postal_code_check: text, cvc_check: text }).allow(null),
}).allow(null);

const chargeSchema = Joi.object({
  id: id.required(),
  refunded: Joi.boolean(),
  authorization_code: text,
  outcome: Joi.object({ type: text }).allow(null),
  payment_method_details: Joi.object({ card }).allow(null),
});

const intentSchema = Joi.object({
  object: Joi.valid('payment_intent').required(),
  id: id.required(),
  status: text.required(),
  amount: amount.required(),
  amount_received: amount.allow(null),
  currency: currency.required(),
  capture_method: text,
  cancellation_reason: text,
  created: Joi.number().integer().required(),
  metadata,
  latest_charge: Joi.alternatives(chargeSchema, id, Joi.valid(null)),
  last_payment_error: Joi.object().allow(null),
}).required();

const refundSchema = Joi.object({
  object: Joi.valid('refund').required(),
  id: id.required(),
  status: text.required(),
  amount: amount.required(),
  currency: currency.required(),
  metadata,
  failure_reason: text,
  reason: text,
  payment_intent: id.allow(null),
}).required();

const listSchema = Joi.object({
  data: Joi.array().required(),
  has_more: Joi.boolean().required(),
}).required();

export interface WireList {
  readonly data: readonly unknown[];
  readonly has_more: boolean;
}

export const readIntent = answerReader<WireIntent>(intentSchema);
export const readRefund = answerReader<WireRefund>(refundSchema);
export const readList = answerReader<WireList>(listSchema);
const readNamed = answerReader<{ readonly id: string }>(Joi.object({ id: id.required() }).required());
export const readId = (value: unknown): string | undefined => readNamed(value)?.id;
