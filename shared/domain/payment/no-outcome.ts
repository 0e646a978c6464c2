import type { Payment } from './payment.js';

type Gained = 'processedAt' | 'expiresAt' | 'deadline' | 'activeOp' | 'announceAt' | 'tokenizeAt' | 'cardDestroyAt';

/**
 * What an outcome adds to a payment, empty: nothing of it is stored. A copy of an object that gains a member has a hidden class of
 * its own in V8, and so has every copy of that copy: each costs twenty times as much as one that only changes what is there.
 */
export const noOutcome = {
  processedAt: undefined,
  expiresAt: undefined,
  deadline: undefined,
  activeOp: undefined,
  announceAt: undefined,
  tokenizeAt: undefined,
  cardDestroyAt: undefined,
} as const satisfies Record<Gained, undefined>;

const names = Object.keys(noOutcome) as Gained[];

/** The payment as it was read, with room for its outcome. Changes the object, which is the reader's own. */
export function withRoom(payment: Payment): Payment {
  const read: { -readonly [K in Gained]?: Payment[K] } = payment;
  for (const name of names) if (!(name in read)) read[name] = undefined;
  return payment;
}
