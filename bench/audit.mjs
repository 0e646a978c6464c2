/** Checks that speed was not bought with lost payments: answers, stored payments and the processor's books must agree. */
import { setTimeout as sleep } from 'node:timers/promises';

const SETTLE_MS = 20_000;
const POLL_MS = 200;

/**
 * @typedef {object} Findings
 * @property {Record<string, number>} answers how many answers had each status; `error` counts broken connections
 * @property {Record<string, number>} stored how many payments have each status
 * @property {number} references number of different references of the payments
 * @property {number} queued jobs that are left in the queue
 * @property {number} unannounced payments with an event that no caller got and that will not be sent
 * @property {readonly string[]} charged transaction ids in the processor's books, one per approved or declined authorization
 * @property {readonly string[]} transactions ids of the stored transactions
 * @property {number} skipped payments with fewer writes than insert, claim and outcome need
 * @property {number} working payments that have their outcome but still have work
 * @property {number} withCvc payments that still hold a cvc
 * @property {readonly { key: string, atMs: number }[]} chargedAt when the processor booked each of `charged` (ms since the epoch)
 * @property {ReadonlyMap<string, string>} paymentOf the payment of each transaction id
 * @property {ReadonlyMap<string, Writes>} writes of each payment, by MongoDB's log
 */

/**
 * @typedef {object} Writes
 * @property {readonly number[]} atMs times of the writes, in order (ms since the epoch)
 * @property {boolean} claimed whether the payment was stored with its claim
 */

/** Minimum of durable writes of a payment: insert, claim, outcome; one less when the claim is stored with the payment. */
const writesMin = (/** @type {boolean} */ claimed) => (claimed ? 2 : 3);

/**
 * @param {readonly any[]} entries of MongoDB's log: `wall`, `op`, `ns`, `o`, `o2`
 * @param {string} ns the collection
 * @returns {Map<string, Writes>}
 */
export function readWrites(entries, ns) {
  /** @type {Map<string, { atMs: number[], claimed: boolean }>} */
  const writes = new Map();
  for (const { wall, o, ...entry } of entries) {
    // One entry may contain several writes of one command.
    for (const { op, o: written, o2, ns: of } of o?.applyOps ?? [{ ...entry, o }]) {
      if (of !== ns || (op !== 'i' && op !== 'u')) continue;
      const id = String(op === 'i' ? written._id : o2._id);
      const earlier = writes.get(id);
      if (earlier) earlier.atMs.push(Number(wall));
      else writes.set(id, { atMs: [Number(wall)], claimed: written?.work?.attempt?.atInsert === true });
    }
  }
  return writes;
}

/** Counts charges that were booked before the claim of their payment was written. @param {Findings} findings */
function countUnclaimed({ chargedAt, paymentOf, writes }) {
  return chargedAt.filter(({ key, atMs }) => {
    const written = writes.get(paymentOf.get(key) ?? '');
    // A full log drops its oldest entries. What remains of such a payment proves nothing.
    if (!written || written.atMs.length < writesMin(written.claimed)) return false;
    return atMs < Number(written.atMs[written.claimed ? 0 : 1]);
  }).length;
}

/** Counts payments with too few writes, if the log has their insert. @param {Findings} findings */
const countUnwritten = ({ paymentOf, writes }) =>
  [...paymentOf.values()].filter((id) => {
    const written = writes.get(id);
    return written !== undefined && written.atMs.length < writesMin(written.claimed);
  }).length;

/** @param {Record<string, number>} counts @param {readonly string[]} [but] */
const sumExcept = (counts, but = []) =>
  Object.entries(counts).reduce((sum, [key, count]) => (but.includes(key) ? sum : sum + count), 0);

/**
 * @param {Findings} findings
 * @returns {string[]} one sentence per violation
 */
export function findViolations(findings) {
  const { answers, stored, references, queued, unannounced, charged, transactions } = findings;
  const { skipped, working, withCvc } = findings;
  const [unclaimed, unwritten] = [countUnclaimed(findings), countUnwritten(findings)];
  const { approved = 0, denied = 0 } = stored;
  const [ok = 0, declined = 0] = [answers['200'], answers['422']];
  const total = sumExcept(stored);
  const other = sumExcept(answers, ['200', '422']);
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
    [unannounced > 0, `${unannounced} payments have an event that waits to be announced although its caller got it`],
    [charged.length !== books.size, `${charged.length - books.size} transactions stand twice in the processor's books`],
    [skipped > 0, `${skipped} payments were written less often than insert, claim and outcome need`],
    [
      unwritten > 0,
      `${unwritten} payments have fewer writes in the log of MongoDB than insert, claim and outcome need`,
    ],
    [unclaimed > 0, `${unclaimed} charges were booked before their payment was claimed`],
    [working > 0, `${working} payments still have work although they have their outcome`],
    [withCvc > 0, `${withCvc} payments still hold a cvc`],
    [missing > 0, `${missing} payments are not in the processor's books`],
    [
      books.size !== transactions.length,
      `the processor booked ${books.size} authorizations, ${transactions.length} are stored`,
    ],
  ];
  return checks.flatMap(([broken, text]) => (broken ? [text] : []));
}

/**
 * Reads the findings until everything agrees, or for {@link SETTLE_MS}, because the marks of answered events are written after the answers.
 * @param {() => Promise<Findings>} readFindings
 * @returns {Promise<string[]>}
 */
export async function audit(readFindings) {
  const giveUpAt = performance.now() + SETTLE_MS;
  for (;;) {
    const violations = findViolations(await readFindings());
    if (violations.length === 0 || performance.now() > giveUpAt) return violations;
    await sleep(POLL_MS);
  }
}
