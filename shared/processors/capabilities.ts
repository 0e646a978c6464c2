/**
 * What each processor can do, without its adapter: the API needs this, but never imports an adapter. The table is
 * generated from the adapters of `registry.ts`; nothing is declared here.
 */
import type { ProcessorCapabilities, ProcessorOperation } from './capabilities-of.js';
import { capabilityTable } from './capability-table.js';
import type { ProcessorTraits, RefusableCredential } from './processor.js';

export type ProcessorCode = keyof typeof capabilityTable;

export const processorCodes = Object.keys(capabilityTable) as readonly ProcessorCode[];

export const isProcessorCode = (text: string): text is ProcessorCode => Object.hasOwn(capabilityTable, text);

/** Traits of an unknown processor: nothing is assumed of it. */
export const noTraits: ProcessorTraits = { dedupes: false, tombstones: false, refundNeedsPan: false };

export const traitsOf = (code: string): ProcessorTraits => (isProcessorCode(code) ? capabilityTable[code] : noTraits);

/** Whether sending the same key twice has only one effect at the processor. */
export const dedupes = (code: string): boolean => isProcessorCode(code) && capabilityTable[code].dedupes;

/** Returns the table's row with the type that all rows share: the type of a single row has only the fields that are set in it. */
const known = (code: string): ProcessorCapabilities | undefined =>
  isProcessorCode(code) ? capabilityTable[code] : undefined;

/** Returns the names of the credentials that each merchant has at the processor; empty when the settings of the installation are enough. */
export const credentialNamesOf = (code: ProcessorCode): readonly string[] => known(code)?.merchantCredentials ?? [];

/** Whether merchants without credentials of their own are charged at the account of the installation. */
export const sharesAccount = (code: string): boolean => known(code)?.merchantCredentialsOptional === true;

/** Returns the name of the credential that names the merchant's account at the processor; `undefined` when none does. */
export const accountCredentialOf = (code: string): string | undefined => known(code)?.accountCredential;

const has = (code: ProcessorCode, operation: ProcessorOperation): boolean =>
  (capabilityTable[code].operations as readonly ProcessorOperation[]).includes(operation);

/** Whether the processor is known to have this operation. */
export const canDo = (code: string, operation: ProcessorOperation): boolean =>
  isProcessorCode(code) && has(code, operation);

/** Whether the processor is known to lack this operation. For a processor that is no longer known the worker pools decide. */
export const lacks = (code: string, operation: ProcessorOperation): boolean =>
  isProcessorCode(code) && !has(code, operation);

/** Whether the processor is known to refuse this kind of credential. */
export const refuses = (code: string, credential: RefusableCredential): boolean =>
  known(code)?.refuses?.includes(credential) ?? false;

/** Test processors: an installation in production has none of them. */
const testOnly: ReadonlySet<string> = new Set<ProcessorCode>(['sandbox', 'sandbox-forgetful', 'sandbox-lagging']);

/** Returns the processors that a merchant can be configured for in this environment. */
export function processorCodesIn(environment: 'testing' | 'production'): readonly ProcessorCode[] {
  return processorCodes.filter((code) => environment === 'testing' || !testOnly.has(code));
}
