import { body } from '../../shared/contract/joi.js';
import { pathId } from '../http/path-id.js';

interface CustomerIdParams {
  readonly customerId: string;
}

interface InstrumentIdParams extends CustomerIdParams {
  readonly tokenId: string;
}

export const customerIdParams = body<CustomerIdParams>({ customerId: pathId() });
export const instrumentIdParams = body<InstrumentIdParams>({ customerId: pathId(), tokenId: pathId() });
