/** Fields that the answers of many subjects have. */
import type { Schema } from 'joi';
import { Joi } from '../../shared/contract/joi.js';

/** A date-time, UTC with milliseconds. */
export const dateTime = () => Joi.string().isoDate();

/** An amount as a JSON number. */
export const money = () => Joi.number().min(0).unsafe();

/** A field that is always there, and null without a value. */
export const orNull = <S extends Schema>(schema: S): S => schema.allow(null).required() as S;
