/** Plans which cells a repetition measures, and in which order: the first cell must not always be the same. Pure. */

/**
 * A measurement that is made once per repetition.
 * @typedef {object} Cell
 * @property {'gateway' | 'F1' | 'F2' | 'F2p' | 'F3' | 'F4'} subject
 * @property {number} conc calls in flight
 */

/** Concurrency of the floors that have only one. */
export const FLOOR_CONC = 64;

/** @param {Cell} cell */
export const nameOf = ({ subject, conc }) => `${subject} c=${conc}`;

/** @template T @param {readonly T[]} list @param {number} by @returns {T[]} */
const rotated = (list, by) => list.map((_, index) => /** @type {T} */ (list[(index + by) % list.length]));

/**
 * Returns the cells of one repetition. The gateway runs between the two monoliths of the same concurrency, because their ratio is
 * the result and the speed of the machine drifts. The side that runs first alternates, and so does everything else.
 * @param {readonly number[]} conc
 * @param {number} repetition from 0
 * @returns {Cell[]}
 */
export function planRepetition(conc, repetition) {
  /** @type {Cell[][]} */
  const pairs = conc.map((one) => [
    { subject: 'F2p', conc: one },
    { subject: 'gateway', conc: one },
    { subject: 'F2', conc: one },
  ]);
  /** @type {Cell[]} */
  const floors = ['F1', 'F3', 'F4'].map((subject) => ({
    subject: /** @type {Cell['subject']} */ (subject),
    conc: FLOOR_CONC,
  }));
  const groups = rotated([...pairs, rotated(floors, repetition % floors.length)], repetition % (pairs.length + 1));
  return groups.flatMap((group) => (repetition % 2 === 0 ? group : group.toReversed()));
}
