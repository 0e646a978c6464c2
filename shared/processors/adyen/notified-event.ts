/** What all notifications have: an id of their own, and a time. */
import { defined } from '../../domain/defined.js';
import type { AdyenNotification } from './notification.js';

/** Of what is said in words. */
export const MESSAGE_MAX = 100;

export function dateOf(text: string | undefined): Date | undefined {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** Adyen sends an event again under the same reference; only its success tells two of them apart. */
export const eventOf = ({ eventCode, pspReference, success, eventDate }: AdyenNotification) => ({
  eventId: `${eventCode}:${pspReference}:${success}`,
  ...defined({ at: dateOf(eventDate) }),
});
