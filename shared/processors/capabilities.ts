/**
 * What each processor can do, apart from its adapter: the API may know this, but never imports an adapter. A line here
 * and a line in `registry.ts` make a processor known.
 */
import type { ProcessorCapabilities } from './processor.js';

export const processorCapabilities = {
  sandbox: { dedupes: true, tombstones: true, refundNeedsPan: false, transfers: true, lists: true },
  'sandbox-forgetful': { dedupes: false, tombstones: false, refundNeedsPan: false, transfers: true, lists: true },
  'sandbox-lagging': { dedupes: false, tombstones: true, refundNeedsPan: false, transfers: true, lists: true },
} as const satisfies Record<string, ProcessorCapabilities>;

export type ProcessorCode = keyof typeof processorCapabilities;

export const processorCodes = Object.keys(processorCapabilities) as readonly ProcessorCode[];

export const isProcessorCode = (text: string): text is ProcessorCode => Object.hasOwn(processorCapabilities, text);

/** Whether sending twice under one key has one effect there. */
export const dedupes = (code: string): boolean => isProcessorCode(code) && processorCapabilities[code].dedupes;

/** Stand-ins for a processor: an installation in production has none of them. */
const testOnly: ReadonlySet<string> = new Set<ProcessorCode>(['sandbox', 'sandbox-forgetful', 'sandbox-lagging']);

/** The processors that a merchant can be configured for in this environment. */
export function processorCodesIn(environment: 'testing' | 'production'): readonly ProcessorCode[] {
  return processorCodes.filter((code) => environment === 'testing' || !testOnly.has(code));
}
