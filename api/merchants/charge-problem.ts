/** Explains why a payment method of a merchant cannot be charged: for error messages, and for `./gateway doctor`. */
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import { asTransferMethod, processorOf } from '../payments/choose-payment-method.js';
import { type ChargeContext, processorProblem } from './processor-problem.js';

/** Why a processor cannot be used, as the end of a sentence about a method or route; undefined when it can be used. */
export type ProblemOf = (processor: string) => string | undefined;

/** Returns the processor of a method that has no routes; undefined when there is none. */
function chargedBy(method: MerchantPaymentMethod, { environment }: ChargeContext): string | undefined {
  return paymentMethodCatalog[method.id].type === 'card'
    ? processorOf(method.settings, environment)
    : asTransferMethod(method, environment)?.processor;
}

/** One usable route is enough; the others are skipped. */
function routesProblem(processors: readonly string[], problemOf: ProblemOf): string | undefined {
  const problems = processors.map(problemOf);
  if (problems.includes(undefined)) return undefined;
  return `has no route that can be charged (${[...new Set(problems)].map((problem) => `one ${problem}`).join('; ')})`;
}

/**
 * Why payments cannot be made by a method.
 * @param problemOf why a processor cannot be used; by default derived from what is known about the installation
 * @returns the end of a sentence about the method; undefined when payments can be made by it.
 */
export function chargeProblem(
  method: MerchantPaymentMethod,
  context: ChargeContext,
  problemOf: ProblemOf = (processor) => processorProblem(processor, context),
): string | undefined {
  if (!method.enabled) return 'is disabled';
  const { routes } = method.settings;
  if (routes) {
    return routesProblem(
      routes.map(({ paymentProcessor }) => paymentProcessor.id),
      problemOf,
    );
  }
  const processor = chargedBy(method, context);
  if (processor !== undefined) return problemOf(processor);
  return paymentMethodCatalog[method.id].type === 'card'
    ? 'has no processor'
    : 'has no processor that takes bank transfers';
}
