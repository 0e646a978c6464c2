/**
 * The pipeline as data. A job says only "look at payment X now": ids, no state, no secrets. It may run twice, late or never;
 * the claim on the document is the guard. Payloads are checked when they are added and when they are taken.
 */

import type { ObjectSchema, PartialSchemaMap, Schema } from 'joi';
import { limits } from '../../config/limits.js';
import { Joi } from '../contract/joi.js';

export interface JobDefinition<Payload> {
  readonly name: string;
  /** Queue = worker folder = Procfile line. */
  readonly queue: 'processor' | 'threeds' | 'callback' | 'wallet' | 'qr';
  readonly schema: ObjectSchema<Payload>;
  /** An id that is never reused for other work, because BullMQ silently ignores an id that it still keeps. No `:` and not digits only. */
  jobId(payload: Payload): string;
}

/** Declares a job: `payload` lists its fields; any other field makes a job invalid. */
export function defineJob<Payload>(definition: {
  name: string;
  queue: 'processor' | 'threeds' | 'callback' | 'wallet' | 'qr';
  payload: Record<keyof Payload, Schema>;
  jobId(payload: Payload): string;
}): JobDefinition<Payload> {
  const { payload, ...rest } = definition;
  return { ...rest, schema: Joi.object<Payload>(payload as PartialSchemaMap<Payload>) };
}

export const idField = Joi.string().max(limits.jobIdLengthMax).required();
