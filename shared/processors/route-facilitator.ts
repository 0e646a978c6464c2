import type { PaymentMethodSettings } from '../domain/merchant.js';
import { type ProcessorCode, processorCodesIn } from './capabilities.js';

/** The processor that is used in testing for a facilitator without a named processor. */
const TEST_PROCESSOR: ProcessorCode = 'sandbox';

/**
 * Finds the processor for a configuration of payment-facilitator mode, which names no processor: the processor with the same
 * name as its facilitator or its acquirer, else the only one of the installation (in testing: the test processor).
 * @returns undefined when no processor or more than one would fit: money is never sent to an arbitrary one.
 */
export function routeFacilitator(
  settings: PaymentMethodSettings,
  environment: 'testing' | 'production',
  available: readonly string[] = processorCodesIn(environment),
): string | undefined {
  const { paymentFacilitator, paymentProcessor } = settings;
  for (const named of [paymentFacilitator?.id, paymentProcessor?.acquirer]) {
    const code = available.find((known) => known === named);
    if (code) return code;
  }
  if (environment === 'testing') return TEST_PROCESSOR;
  return available.length === 1 ? available[0] : undefined;
}
