import type { Payment } from '../payment/payment.js';
import { decideAuthentication } from './decide-authentication.js';

/**
 * Applies the rules of 3D Secure to a payment that was stored with the facts that they need. Afterwards the payment has the decision, and
 * the id of its 3DS session when the payer is to be authenticated. Pure; evaluating the payment again changes nothing.
 */
export function planEvaluated(payment: Payment, now: Date, sessionId: string): Payment {
  const { threeDsFacts: facts, threeDsSettings: settings } = payment;
  if (!facts) return payment;
  const decision = decideAuthentication(facts, settings);
  const decided = { ...payment, updatedAt: now, threeDsFacts: undefined };
  // The provider's settings are kept only when a provider is asked.
  if (!decision) return { ...decided, threeDsSettings: undefined };
  if (!decision.required || !settings) return { ...decided, threeDs: decision, threeDsSettings: undefined };
  const { provider } = settings;
  return {
    ...decided,
    threeDs: { ...decision, provider, sessionId, status: 'created', createdAt: now, updatedAt: now },
  };
}
