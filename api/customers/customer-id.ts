import { limits } from '../../config/limits.js';
import { body, Joi } from '../../shared/contract/joi.js';

export interface CustomerIdParams {
  readonly customerId: string;
}

export interface InstrumentIdParams extends CustomerIdParams {
  readonly tokenId: string;
}

const id = () => Joi.string().max(limits.pathIdLengthMax).required();

/** Any text: an id that cannot exist is answered like one that does not. */
export const customerIdParams = body<CustomerIdParams>({ customerId: id() });
export const instrumentIdParams = body<InstrumentIdParams>({ customerId: id(), tokenId: id() });
