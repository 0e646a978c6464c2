/** The common part of the readers of Stripe's events. */
import Joi from 'joi';
import type { ProcessorUpdate } from '../updates.js';

export type About = Pick<ProcessorUpdate, 'eventId' | 'at'>;
/** Reads the object of an event; `undefined` when it does not have the shape that Stripe documents. */
export type Read = (object: unknown, about: About) => readonly ProcessorUpdate[] | undefined;

export const text = Joi.string().max(255).allow(null, '');
