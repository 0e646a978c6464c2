/**
 * The conformance suite of the processor port: every adapter inherits it (docs/reliability.md). It checks the
 * adapter's operations and traits against the processor's own books, never against what the adapter reports about itself.
 */
import type { ProcessorCode } from '../../shared/processors/capabilities.js';
import { capabilitiesOf } from '../../shared/processors/capabilities-of.js';
import { capabilityTable } from '../../shared/processors/capability-table.js';
import { describeOperations } from './operations-suite.js';
import { openSuite, type ProcessorHarness } from './suite.js';
import { describeTransfers } from './transfers-suite.js';
import { describeUnknownOutcomes } from './unknown-outcomes-suite.js';

/** Declares the suite for one adapter. */
export function describeProcessor(code: ProcessorCode, makeHarness: () => Promise<ProcessorHarness>): void {
  describe(`${code} conforms to the processor port`, () => {
    const suite = openSuite(code, makeHarness);
    it('is the adapter that the table of capabilities is about: else run `npm run generate`', () => {
      expect(suite.processor.code).toBe(code);
      expect(capabilitiesOf(suite.processor)).toEqual(capabilityTable[code]);
    });
    describeOperations(suite);
    describeUnknownOutcomes(suite);
    describeTransfers(suite);
  });
}
