/**
 * What each processor can do, apart from its adapter: the API may know this, but never imports an adapter. The table is
 * generated from the adapters of `registry.ts`; nothing is declared here.
 */
import type { ProcessorCapabilities, ProcessorOperation } from './capabilities-of.js';
import { capabilityTable } from './capability-table.js';
import type { ProcessorTraits, RefusableCredential } from './processor.js';

export type ProcessorCode = keyof typeof capabilityTable;

export const processorCodes = Object.keys(capabilityTable) as readonly ProcessorCode[];

export const isProcessorCode = (text: string): text is ProcessorCode => Object.hasOwn(capabilityTable, text);

/** Of a processor that is not known nothing is taken for granted. */
export const noTraits: ProcessorTraits = { dedupes: false, tombstones: false, refundNeedsPan: false };

export const traitsOf = (code: string): ProcessorTraits => (isProcessorCode(code) ? capabilityTable[code] : noTraits);

/** Whether sending twice under one key has one effect there. */
export const dedupes = (code: string): boolean => isProcessorCode(code) && capabilityTable[code].dedupes;

/** The table's row in the shape of all: a row of it has only the fields that are set. */
const known = (code: string): ProcessorCapabilities | undefined =>
  isProcessorCode(code) ? capabilityTable[code] : undefined;

/** What each merchant has to be given for it; empty: the settings of the installation are enough. */
export const credentialNamesOf = (code: ProcessorCode): readonly string[] => known(code)?.merchantCredentials ?? [];

/** Whether merchants without credentials of their own are charged at the account of the installation. */
export const sharesAccount = (code: string): boolean => known(code)?.merchantCredentialsOptional === true;

/** The name of the credential that says which account they are of; `undefined`: none does. */
export const accountCredentialOf = (code: string): string | undefined => known(code)?.accountCredential;

const has = (code: ProcessorCode, operation: ProcessorOperation): boolean =>
  (capabilityTable[code].operations as readonly ProcessorOperation[]).includes(operation);

/** Whether the processor is known to have this operation. */
export const canDo = (code: string, operation: ProcessorOperation): boolean =>
  isProcessorCode(code) && has(code, operation);

/** Whether the processor is known to be without it. Of one that is not known any more the pools decide. */
export const lacks = (code: string, operation: ProcessorOperation): boolean =>
  isProcessorCode(code) && !has(code, operation);

/** Whether the processor is known to have no place for this. */
export const refuses = (code: string, credential: RefusableCredential): boolean =>
  known(code)?.refuses?.includes(credential) ?? false;

/** Stand-ins for a processor: an installation in production has none of them. */
const testOnly: ReadonlySet<string> = new Set<ProcessorCode>(['sandbox', 'sandbox-forgetful', 'sandbox-lagging']);

/** The processors that a merchant can be configured for in this environment. */
export function processorCodesIn(environment: 'testing' | 'production'): readonly ProcessorCode[] {
  return processorCodes.filter((code) => environment === 'testing' || !testOnly.has(code));
}
