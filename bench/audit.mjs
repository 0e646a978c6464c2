/** Speed may not be bought with lost payments: what was answered, what is stored and what the processor booked must agree. */
import { setTimeout as sleep } from 'node:timers/promises';

const SETTLE_MS = 20_000;
const POLL_MS = 200;

/**
 * @typedef {object} Findings
 * @property {Record<string, number>} answers how many answers had each status; `error` counts broken connections
 * @property {Record<string, number>} stored how many payments have each status
 * @property {number} references how many different references the payments have
 * @property {number} queued jobs that are left in the queue
 * @property {number} unannounced payments with an event that nobody was told and nobody will be told
 * @property {readonly string[]} charged transaction ids in the processor's books, one per approved or declined authorization
 * @property {readonly string[]} transactions ids of the stored transactions
 */

/** @param {Record<string, number>} counts @param {readonly string[]} [but] */
const sumBut = (counts, but = []) =>
  Object.entries(counts).reduce((sum, [key, count]) => (but.includes(key) ? sum : sum + count), 0);

/**
 * @param {Findings} findings
 * @returns {string[]} one sentence per violation
 */
export function findViolations({ answers, stored, references, queued, unannounced, charged, transactions }) {
  const { approved = 0, denied = 0 } = stored;
  const [ok = 0, declined = 0] = [answers['200'], answers['422']];
  const total = sumBut(stored);
  const other = sumBut(answers, ['200', '422']);
  const books = new Set(charged);
  const missing = transactions.filter((id) => !books.has(id)).length;
  /** @type {[boolean, string][]} */
  const checks = [
    [other > 0, `${other} answers were neither 200 nor 422: ${JSON.stringify(answers)}`],
    [ok !== approved, `${ok} answers said approved, ${approved} payments are`],
    [declined !== denied, `${declined} answers said declined, ${denied} payments are`],
    [total !== approved + denied, `${total - approved - denied} payments have no outcome: ${JSON.stringify(stored)}`],
    [references !== total, `${total - references} payments share a reference with another one`],
    [queued > 0, `${queued} jobs are left in the queue`],
    [unannounced > 0, `${unannounced} payments have an event that waits to be announced although its caller was told`],
    [charged.length !== books.size, `${charged.length - books.size} transactions stand twice in the processor's books`],
    [missing > 0, `${missing} payments are not in the processor's books`],
    [
      books.size !== transactions.length,
      `the processor booked ${books.size} authorizations, ${transactions.length} are stored`,
    ],
  ];
  return checks.flatMap(([broken, text]) => (broken ? [text] : []));
}

/**
 * Looks until everything agrees, or for {@link SETTLE_MS}: the marks of told events are written after the answers.
 * @param {() => Promise<Findings>} look
 * @returns {Promise<string[]>}
 */
export async function audit(look) {
  const giveUpAt = performance.now() + SETTLE_MS;
  for (;;) {
    const violations = findViolations(await look());
    if (violations.length === 0 || performance.now() > giveUpAt) return violations;
    await sleep(POLL_MS);
  }
}
