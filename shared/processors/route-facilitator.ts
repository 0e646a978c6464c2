import type { PaymentMethodSettings } from '../domain/merchant.js';
import { type ProcessorCode, processorCodesIn } from './capabilities.js';

/** Where a facilitator that no processor is named for is reached in testing. */
const TEST_PROCESSOR: ProcessorCode = 'sandbox';

/**
 * The processor behind a configuration of payment-facilitator mode, which names none: the one that is called as its
 * facilitator or its acquirer, else the only one of the installation (in testing: the test processor).
 * @returns undefined when several would do: money is never sent to whichever comes first.
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
