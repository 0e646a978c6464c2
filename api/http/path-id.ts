import type { StringSchema } from 'joi';
import { limits } from '../../config/limits.js';
import { Joi } from '../../shared/contract/joi.js';

/** An id in a path. Any text is accepted: an impossible id is answered like an unknown one. */
export const pathId = (): StringSchema => Joi.string().max(limits.pathIdLengthMax).required();
