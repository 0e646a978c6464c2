/** What a payment tells of the card that it saved, and when: the card is stored a moment after the payment succeeded. Pure. */
import { earliest, latest } from '../time.js';
import type { Moment } from './apply-moves.js';
import { announceableFrom } from './awaited.js';
import type { Payment, PaymentEvent, Tokenization } from './payment.js';

/** The token under which the payment saved its card; `undefined` when it saved none, or has not yet. */
export function savedInstrumentOf({ tokenization, tokenizeAt, authorizedMinor }: Payment): Tokenization | undefined {
  return authorizedMinor > 0 && !tokenizeAt ? tokenization : undefined;
}

/** The callback of a payment whose card is being saved waits for the token, but no longer than `until`: a callback late beats none. */
export function heldForInstrument(payment: Payment, until: Date): Payment {
  const last = payment.events.at(-1);
  if (!payment.tokenizeAt || last?.body === undefined) return payment;
  return { ...payment, events: payment.events.with(-1, { ...last, notBefore: latest(last.notBefore, until) }) };
}

/**
 * The card is stored (`kept`), or its customer was deleted meanwhile and it is not. What waited for the token may be announced as
 * if it had never waited, the newest with the token; `undefined` when another process was first.
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

/** Whether all that happened between the two is that the card was noted as stored. */
export const isInstrumentNoted = (before: Payment, after: Payment): boolean =>
  before.tokenizeAt !== undefined &&
  after.tokenizeAt === undefined &&
  after.tokenization !== undefined &&
  !after.tokenization.deleted &&
  after.version === before.version + 1;

/** The saved card is deleted for good, also where it is being saved once more; `undefined` when that was written down already, or there is none. */
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
