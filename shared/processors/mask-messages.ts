/**
 * Masks card numbers in the free text of a processor. A processor may quote the number that it was sent, and the text is stored, answered
 * and sent in callbacks (docs/security.md#no-leaks).
 */

/**
 * Runs of 13 or more digits, as printed on cards too, also beside letters: references have fields of their own, so a message loses nothing
 * else. `maskDigits` of the log has to keep ids.
 */
const LONG_NUMBER = /\d(?:[ -]?\d){12,}/g;

/** Members in the processor's own words, of answers and of updates. */
const texts = ['resultMessage', 'reason'] as const;
const nested = ['outcome', 'rejected'] as const;

/** Returns an answer or update with its texts masked, and those of the outcome in it; the same object when there is nothing to mask. */
export function maskMessages<A extends object>(answer: A): A {
  const members = answer as Readonly<Record<string, unknown>>;
  const masked: Record<string, unknown> = {};
  for (const name of texts) {
    const text = members[name];
    if (typeof text === 'string') masked[name] = text.replace(LONG_NUMBER, '[digits]');
  }
  for (const name of nested) {
    const member = members[name];
    if (typeof member === 'object' && member !== null) masked[name] = maskMessages(member);
  }
  const hasChanged = Object.entries(masked).some(([name, value]) => value !== members[name]);
  return hasChanged ? { ...answer, ...masked } : answer;
}
