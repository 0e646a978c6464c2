import { body, Joi } from '../../shared/contract/joi.js';

export interface LinkIdParams {
  readonly linkId: string;
}

/** Any text: an id that cannot exist is answered like one that does not. */
export const linkIdParams = body<LinkIdParams>({ linkId: Joi.string().max(200).required() });
