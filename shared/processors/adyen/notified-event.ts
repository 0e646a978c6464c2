/** Event id and time, which every notification has. */
import { defined } from '../../domain/defined.js';
import type { AdyenNotification } from './notification.js';

/** Largest length of texts that are kept from a notification. */
export const MESSAGE_MAX = 100;

export function dateOf(text: string | undefined): Date | undefined {
  const at = new Date(text ?? '');
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** Builds id and time of an event. Adyen may send an event again with the same reference; only `success` tells the two apart. */
export const eventOf = ({ eventCode, pspReference, success, eventDate }: AdyenNotification) => ({
  eventId: `${eventCode}:${pspReference}:${success}`,
  ...defined({ at: dateOf(eventDate) }),
});
