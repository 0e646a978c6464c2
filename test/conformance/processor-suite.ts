/**
 * The conformance suite of the processor port: every adapter inherits it (docs/reliability.md). It holds the adapter to the
 * operations that it has and to its traits, and looks into the processor's own books, never at what the adapter says about itself.
 */
import { describeOperations } from './operations-suite.js';
import { openSuite, type ProcessorHarness } from './suite.js';
import { describeTransfers } from './transfers-suite.js';
import { describeUnknownOutcomes } from './unknown-outcomes-suite.js';

/** Declares the suite for one adapter. */
export function describeProcessor(name: string, makeHarness: () => Promise<ProcessorHarness>): void {
  describe(`${name} conforms to the processor port`, () => {
    const suite = openSuite(makeHarness);
    describeOperations(suite);
    describeUnknownOutcomes(suite);
    describeTransfers(suite);
  });
}
