import type { Payment } from './payment.js';

export const ALERTS_KEPT = 20;

/** Adds a line for the operator; the newest stay. */
export function alerted(payment: Payment, at: Date, text: string): Payment {
  return { ...payment, alerts: [...(payment.alerts ?? []), { at, text }].slice(-ALERTS_KEPT) };
}

/** Whether the line is there already. */
export const hasAlert = ({ alerts = [] }: Payment, text: string): boolean =>
  alerts.some((alert) => alert.text === text);

/** As {@link alerted}, unless the line is there already. */
export function alertedOnce(payment: Payment, at: Date, text: string): Payment {
  return hasAlert(payment, text) ? payment : alerted(payment, at, text);
}
