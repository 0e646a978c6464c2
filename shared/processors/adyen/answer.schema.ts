/** Schemas of Adyen's answers; any other shape is an unknown outcome. Fields that are not named here are ignored. */
import Joi from 'joi';
import { answerReader } from '../../answer-reader.js';
import type { AdyenAnswer, AdyenError, AdyenReceived } from './wire.js';

const text = Joi.string().allow('').max(1_000);
/** Sixteen characters today. Checked because it becomes part of a URL. */
const pspReference = Joi.string().pattern(/^[A-Za-z0-9]{1,64}$/);
const amount = Joi.object({
  currency: Joi.string().length(3).required(),
  value: Joi.number().integer().min(0).required(),
});

const answerSchema = Joi.object<AdyenAnswer>({
  resultCode: Joi.string().max(64).required(),
  pspReference,
  merchantReference: Joi.string().max(80),
  amount,
  refusalReason: text,
  refusalReasonCode: Joi.string().max(8),
  // Its values should be texts; one that is no text must not make the outcome unknown.
  additionalData: Joi.object().unknown(),
}).required();

const receivedSchema = Joi.object<AdyenReceived>({
  status: Joi.valid('received').required(),
  pspReference: pspReference.required(),
  reference: Joi.string().max(80),
  paymentPspReference: pspReference,
  paymentReference: Joi.string().max(80),
  amount,
}).required();

const errorSchema = Joi.object<AdyenError>({
  errorCode: Joi.string().max(16).required(),
  errorType: Joi.string().max(32).required(),
  message: text,
  pspReference: Joi.string().max(64),
}).required();

const texts = (data: object = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

const answerOf = answerReader<AdyenAnswer>(answerSchema, { stripUnknown: true });

export function readAnswer(value: unknown): AdyenAnswer | undefined {
  const answer = answerOf(value);
  return answer && { ...answer, additionalData: texts(answer.additionalData) };
}

export const readReceived = answerReader<AdyenReceived>(receivedSchema, { stripUnknown: true });
export const readError = answerReader<AdyenError>(errorSchema, { stripUnknown: true });
