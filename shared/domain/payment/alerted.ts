import type { Payment } from './payment.js';

/** Adds a line for the operator; the newest 20 stay. */
export function alerted(payment: Payment, at: Date, text: string): Payment {
  return { ...payment, alerts: [...(payment.alerts ?? []), { at, text }].slice(-20) };
}
