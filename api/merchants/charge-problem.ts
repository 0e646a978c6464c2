/** Why nothing could be charged by a payment method of a merchant: for what is refused, and for `./gateway doctor`. */
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import { asTransferMethod, processorOf } from '../payments/choose-payment-method.js';
import { type ChargeContext, processorProblem } from './processor-problem.js';

/** The processor that payments by the method go to; undefined where there is none. */
export function chargedBy(method: MerchantPaymentMethod, { environment }: ChargeContext): string | undefined {
  return paymentMethodCatalog[method.id].type === 'card'
    ? processorOf(method.settings, environment)
    : asTransferMethod(method, environment)?.processor;
}

/** @returns the end of a sentence about the method; undefined when payments can be made by it. */
export function chargeProblem(method: MerchantPaymentMethod, context: ChargeContext): string | undefined {
  if (!method.enabled) return 'is disabled';
  const processor = chargedBy(method, context);
  if (processor !== undefined) return processorProblem(processor, context);
  return paymentMethodCatalog[method.id].type === 'card'
    ? 'has no processor'
    : 'has no processor that takes bank transfers';
}
