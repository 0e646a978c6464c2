import type { Payment } from './payment.js';

type Gained = 'processedAt' | 'expiresAt' | 'deadline' | 'activeOp' | 'announceAt' | 'tokenizeAt' | 'cardDestroyAt';

/**
 * The fields that an outcome adds to a payment, all undefined, so that none is stored. In V8, a copy of an object that gains a member
 * gets its own hidden class, and so does every copy of that copy: each costs twenty times as much as a copy that only changes members.
 */
export const emptyOutcome = {
  processedAt: undefined,
  expiresAt: undefined,
  deadline: undefined,
  activeOp: undefined,
  announceAt: undefined,
  tokenizeAt: undefined,
  cardDestroyAt: undefined,
} as const satisfies Record<Gained, undefined>;

const names = Object.keys(emptyOutcome) as Gained[];

/** Adds the missing fields of an outcome to a payment that was read. Changes the object, which belongs to the reader. */
export function withRoom(payment: Payment): Payment {
  const read: { -readonly [K in Gained]?: Payment[K] } = payment;
  for (const name of names) if (!(name in read)) read[name] = undefined;
  return payment;
}
