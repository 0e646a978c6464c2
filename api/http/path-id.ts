import type { StringSchema } from 'joi';
import { limits } from '../../config/limits.js';
import { Joi } from '../../shared/contract/joi.js';

/** An id in a path. Any text: an id that cannot exist is answered like one that does not. */
export const pathId = (): StringSchema => Joi.string().max(limits.pathIdLengthMax).required();
