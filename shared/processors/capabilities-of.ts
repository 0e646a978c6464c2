/**
 * The capabilities of an adapter are the methods that it has, its traits, and whether its updates can be read. `npm run generate`
 * keeps them in `capability-table.ts`.
 */
import type { Processor, ProcessorOperations, ProcessorTraits } from './processor.js';
import { hasUpdateReader } from './update-readers.js';

export type ProcessorOperation = keyof ProcessorOperations;

export interface ProcessorCapabilities extends ProcessorTraits {
  readonly operations: readonly ProcessorOperation[];
  readonly merchantCredentials?: readonly string[];
  /** A merchant without credentials uses the account of the installation. */
  readonly merchantCredentialsOptional?: true;
  readonly accountCredential?: string;
  /** The processor sends updates by itself (`updates.ts`). */
  readonly updates?: true;
}

/** A record, so that the compiler finds an operation that is missing here. */
const everyOperation = {
  authorize: true,
  inquire: true,
  reverse: true,
  capture: true,
  cancel: true,
  refund: true,
  verify: true,
  issueCode: true,
  findTransfers: true,
  listSince: true,
} as const satisfies Record<ProcessorOperation, true>;

export function capabilitiesOf(processor: Processor): ProcessorCapabilities {
  const operations = Object.keys(everyOperation) as ProcessorOperation[];
  const { traits, merchantCredentials, merchantCredentialsOptional, accountCredential } = processor;
  return {
    ...traits,
    operations: operations.filter((name) => processor[name] !== undefined),
    ...(merchantCredentials && { merchantCredentials }),
    ...(merchantCredentialsOptional && { merchantCredentialsOptional }),
    ...(accountCredential !== undefined && { accountCredential }),
    ...(hasUpdateReader(processor.code) && { updates: true }),
  };
}
