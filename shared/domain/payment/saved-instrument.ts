/** What a payment shows of the card that it saves, and when: the card is stored a moment after the payment succeeded. Pure. */
import { earliest, latest } from '../time.js';
import type { Moment } from './apply-moves.js';
import { announceableFrom } from './awaited.js';
import type { Payment, PaymentEvent, Tokenization } from './payment.js';

/** Returns the token under which the payment saved its card; `undefined` when no card is saved (yet). */
export function savedInstrumentOf({ tokenization, tokenizeAt, authorizedMinor }: Payment): Tokenization | undefined {
  return authorizedMinor > 0 && !tokenizeAt ? tokenization : undefined;
}

/** Holds the callback of a payment until its card is saved, so that it has the token, but not longer than `until`. */
export function holdCallbackForToken(payment: Payment, until: Date): Payment {
  const last = payment.events.at(-1);
  if (!payment.tokenizeAt || last?.body === undefined) return payment;
  return { ...payment, events: payment.events.with(-1, { ...last, notBefore: latest(last.notBefore, until) }) };
}

/**
 * Notes that the card is stored (`kept`), or is not because its customer was deleted meanwhile. Events that waited for the token may be
 * announced as if they had never waited, the newest with the token. `undefined`: another process was first.
 */
export function planInstrumentSaved(
  payment: Payment,
  kept: boolean,
  renderCallback: Moment['renderCallback'],
): Payment | undefined {
  if (!payment.tokenizeAt) return undefined;
  const saved: Payment = { ...payment, tokenizeAt: undefined, ...(!kept && { tokenization: undefined }) };
  const waits = ({ seq, body }: PaymentEvent) => seq > payment.fannedOutSeq && body !== undefined;
  const last = payment.events.at(-1);
  if (!last || !waits(last)) return saved;
  const due = ({ at, notBefore }: PaymentEvent) => earliest(notBefore, announceableFrom(payment, at));
  const events = payment.events
    .map((event) => (waits(event) ? { ...event, notBefore: due(event) } : event))
    .with(-1, { ...last, notBefore: due(last), body: renderCallback(saved) });
  const announceAt = earliest(...events.filter(waits).map(due));
  return { ...saved, events, announceAt };
}

/** Whether the only change between the two payments is the note that the card is stored. */
export const isInstrumentNoted = (before: Payment, after: Payment): boolean =>
  before.tokenizeAt !== undefined &&
  after.tokenizeAt === undefined &&
  after.tokenization !== undefined &&
  !after.tokenization.deleted &&
  after.version === before.version + 1;

/** Notes that the saved card is deleted for good, also if it is being saved again. `undefined`: noted already, or there is no such card. */
export function planInstrumentDeleted(
  payment: Payment,
  token: string,
  renderCallback: Moment['renderCallback'],
): Payment | undefined {
  const { tokenization } = payment;
  if (tokenization?.token !== token || tokenization.deleted) return undefined;
  const noted = planInstrumentSaved(payment, true, renderCallback) ?? payment;
  return { ...noted, tokenization: { ...tokenization, deleted: true } };
}
