/**
 * Masks card numbers in the free text of a processor. A processor may quote the number that it was sent, and the text is stored, answered
 * and sent in callbacks (docs/security.md#no-leaks).
 */

/** Runs of 13 or more digits, as printed on cards too: references have fields of their own, so a message loses nothing else. */
const LONG_NUMBER = /\d(?:[ -]?\d){12,}/g;

/** Members in the processor's own words, of answers and of updates. */
const texts = ['resultMessage', 'reason'] as const;
const nested = ['outcome', 'rejected'] as const;

/** Returns an answer or update with its texts masked, and those of the outcome in it. Other members stay as they are. */
export function maskMessages<A extends object>(answer: A): A {
  const masked = { ...answer } as Record<string, unknown>;
  for (const name of texts) {
    const text = masked[name];
    if (typeof text === 'string') masked[name] = text.replace(LONG_NUMBER, '[digits]');
  }
  for (const name of nested) {
    const member = masked[name];
    if (typeof member === 'object' && member !== null) masked[name] = maskMessages(member);
  }
  return masked as A;
}
