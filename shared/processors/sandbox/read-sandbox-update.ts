/**
 * Reads updates of the test processor: JSON, signed by HMAC-SHA256 over `<seconds>.<body>` in the header
 * `x-sandbox-signature: t=<seconds>,v1=<hex>`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import Joi from 'joi';
import { defined } from '../../domain/defined.js';
import { disputeStatuses } from '../../domain/payment/dispute.js';
import { reviewStates } from '../../domain/payment/plan-review.js';
import type { ProcessorUpdate, RawUpdate, UpdateAnswer, UpdateReader } from '../updates.js';
import { readAnswer } from './answer.schema.js';
import { toOutcome } from './to-outcome.js';

const TOLERANCE_SECONDS = 300;
const UPDATES_MAX = 100;

const text = Joi.string().max(200);
const about = {
  id: text.required(),
  at: Joi.date().iso(),
  key: text,
  processorReference: text,
};
const amount = { amountMinor: Joi.number().integer().positive(), currency: Joi.string().length(3) };

const bodies = {
  outcome: Joi.object({ ...about, answer: Joi.object().required() }),
  changed: Joi.object(about),
  'refund-failed': Joi.object({ ...about, ...amount, resultCode: text.required(), resultMessage: text.required() }),
  dispute: Joi.object({
    ...about,
    disputeId: text.required(),
    status: Joi.valid(...disputeStatuses).required(),
    amountMinor: amount.amountMinor.required(),
    currency: amount.currency.required(),
    reason: text,
    networkReasonCode: text,
    respondBy: Joi.date().iso(),
  }),
  'fraud-report': Joi.object({ ...about, reason: text }),
  review: Joi.object({ ...about, state: Joi.valid(...reviewStates).required() }),
} as const satisfies Record<ProcessorUpdate['kind'], Joi.ObjectSchema>;

const listSchema = Joi.object({
  updates: Joi.array()
    .items(Joi.object({ type: Joi.valid(...Object.keys(bodies)).required() }).unknown())
    .max(UPDATES_MAX)
    .required(),
}).required();

export const signSandboxUpdate = (secret: string, body: Buffer | string, seconds: number): string =>
  `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.`).update(body).digest('hex')}`;

function isSigned(secret: string, { body, headers, now }: RawUpdate): boolean {
  const header = headers['x-sandbox-signature'];
  const seconds = /^t=([1-9]\d{0,11}),v1=[0-9a-f]{64}$/.exec(typeof header === 'string' ? header : '')?.[1];
  if (seconds === undefined || Math.abs(now.getTime() / 1000 - Number(seconds)) > TOLERANCE_SECONDS) return false;
  return timingSafeEqual(Buffer.from(String(header)), Buffer.from(signSandboxUpdate(secret, body, Number(seconds))));
}

type Wire = Readonly<Record<string, unknown>> & { readonly type: ProcessorUpdate['kind'] };

/** Converts the parsed body to an update; `undefined` when it is none. */
function toUpdate({ type, ...wire }: Wire): ProcessorUpdate | undefined {
  const { error, value } = bodies[type].validate(wire);
  if (error) return undefined;
  const { id: eventId, answer, amountMinor, currency, ...rest } = value;
  const update = { ...rest, eventId, kind: type };
  if (type === 'changed' || type === 'fraud-report' || type === 'review') return update;
  if (type === 'dispute') return { ...update, amountMinor, currency };
  if (type === 'refund-failed') return { ...update, about: defined({ amountMinor, currency }) };
  const read = readAnswer(answer);
  return read && { ...update, key: read.key, outcome: toOutcome(read) };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

export function createSandboxUpdateReader(secret: string): UpdateReader {
  return {
    read(raw): UpdateAnswer {
      if (!isSigned(secret, raw)) return { kind: 'unverified', internal: 'the signature is missing, wrong or too old' };
      const { error, value } = listSchema.validate(parse(raw.body));
      const updates = error ? [undefined] : (value as { updates: Wire[] }).updates.map(toUpdate);
      if (!updates.every((update) => update !== undefined)) {
        return { kind: 'unreadable', internal: 'the body is not a list of updates' };
      }
      return { kind: 'verified', updates };
    },
  };
}
