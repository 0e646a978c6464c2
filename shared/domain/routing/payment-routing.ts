/** What a payment keeps of its routes: those that it may take, in the order in which they are tried, and what became of each. */
import { clearable, list, oneOf, optional, record, type Stored, text } from '../described.js';

/** `next` and `share` may be tried when the chosen one is left; `breaker-open` too, after those. */
const chosenReasons = ['chosen', 'next', 'share', 'breaker-open', 'condition', 'unable'] as const;
export type ChosenReason = (typeof chosenReasons)[number];

/** Why a route that was tried was left for the next one. */
const leftReasons = ['not-reached', 'reversed', 'declined'] as const;
export type LeftReason = (typeof leftReasons)[number];

export const routeReasons = [...chosenReasons, ...leftReasons] as const;

/** Where an attempt goes, or went. */
export const routeTarget = {
  processor: text,
  acquirer: text,
  merchantIdentificationNumber: optional(text),
  terminalNumber: optional(text),
};

const candidate = record({
  ...routeTarget,
  /** Exactly one is `chosen`: the route that the payment is at. */
  reason: oneOf(...routeReasons),
  detail: optional(text),
});
export interface Candidate extends Stored<typeof candidate> {}

export const routing = record({
  candidates: list(candidate),
  /** The merchant wants another route tried after a decline that advises it. */
  retrySoftDeclines: clearable(oneOf(true)),
});
export interface PaymentRouting extends Stored<typeof routing> {}
