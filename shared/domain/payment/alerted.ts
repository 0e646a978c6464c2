import type { Payment } from './payment.js';

export const ALERTS_KEPT = 20;

/** Adds an alert for the operator; only the newest are kept. */
export function alerted(payment: Payment, at: Date, text: string): Payment {
  return { ...payment, alerts: [...(payment.alerts ?? []), { at, text }].slice(-ALERTS_KEPT) };
}

/** Whether the payment has this alert already. */
export const hasAlert = ({ alerts = [] }: Payment, text: string): boolean =>
  alerts.some((alert) => alert.text === text);

/** Like {@link alerted}, unless the payment has this alert already. */
export function alertedOnce(payment: Payment, at: Date, text: string): Payment {
  return hasAlert(payment, text) ? payment : alerted(payment, at, text);
}
