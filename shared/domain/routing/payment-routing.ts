/** The routes that are stored with a payment: those that it may take, in the order in which they are tried, with the result of each. */
import { clearable, list, oneOf, optional, record, type Stored, text } from '../described.js';

/** `next` and `share` may be tried when the chosen route is left; after those, also `breaker-open`. */
const chosenReasons = ['chosen', 'next', 'share', 'breaker-open', 'condition', 'unable'] as const;
export type ChosenReason = (typeof chosenReasons)[number];

/** Why a payment left a route that was tried for the next one. */
const leftReasons = ['not-reached', 'reversed', 'declined'] as const;
export type LeftReason = (typeof leftReasons)[number];

export const routeReasons = [...chosenReasons, ...leftReasons] as const;

/** The processor and acquirer that an attempt goes to, and the merchant's numbers there. */
export const routeTarget = {
  processor: text,
  acquirer: text,
  merchantIdentificationNumber: optional(text),
  terminalNumber: optional(text),
};

const candidate = record({
  ...routeTarget,
  /** Exactly one candidate is `chosen`: the current route of the payment. */
  reason: oneOf(...routeReasons),
  detail: optional(text),
});
export interface Candidate extends Stored<typeof candidate> {}

export const routing = record({
  candidates: list(candidate),
  /** Set when the merchant wants another route to be tried after a decline that advises to retry. */
  retrySoftDeclines: clearable(oneOf(true)),
});
export interface PaymentRouting extends Stored<typeof routing> {}
