/** Renders the table at the end of the benchmark, and the lines while it runs. Pure. */
import { median, pairedRatio } from './measure/statistics.mjs';
import { isNoisy } from './verdict.mjs';

/** @typedef {import('./cells.mjs').MeasuredCell} Measured */

/** @param {number} value @param {number} [digits] */
const number = (value, digits = 0) => (Number.isFinite(value) ? value.toFixed(digits) : '-');
/** @param {number} share */
const percent = (share) => `${Math.round(share * 100)} %`;

/** @param {readonly Measured[]} cells @param {Measured['subject']} subject @param {number} conc */
const cellsOf = (cells, subject, conc) => cells.filter((cell) => cell.subject === subject && cell.conc === conc);

/** Values by repetition, so that pairs match. @param {readonly Measured[]} cells @param {(cell: Measured) => number} pick */
function byRepetition(cells, pick) {
  /** @type {(number | undefined)[]} */
  const values = [];
  for (const cell of cells) values[cell.repetition] = pick(cell);
  return Array.from(values);
}

/**
 * @typedef {object} Row
 * @property {Measured['subject']} subject
 * @property {number} conc
 * @property {number} rate payments per second
 * @property {number} p50 ms
 * @property {number} p95 ms
 * @property {number} p99 ms
 * @property {number} rateToF2
 * @property {number} p50ToF2
 * @property {number} cpuToF2
 * @property {number} rateToF2p
 * @property {number} p50ToF2p
 * @property {number} cpuToF2p
 * @property {import('./measure/server-work.mjs').Work} work work of the servers per payment
 * @property {Record<string, number>} cpuUs µs per payment, by process
 * @property {number} cpuUsTotal
 * @property {number} non2xx answers
 * @property {number} foreignShare
 * @property {number} noisy repetitions
 * @property {Record<string, number>} rssMb maximum
 */

/** @param {readonly Record<string, number>[]} records @param {(values: number[]) => number} fold */
function foldByName(records, fold) {
  const names = new Set(records.flatMap((record) => Object.keys(record)));
  return Object.fromEntries([...names].map((name) => [name, fold(records.map((record) => record[name] ?? 0))]));
}

/**
 * Returns one row per subject and concurrency: medians over the repetitions, ratios as medians of paired ratios.
 * @param {readonly Measured[]} cells
 * @returns {Row[]}
 */
export function summarize(cells) {
  const keys = new Map(cells.map((cell) => [`${cell.subject}/${cell.conc}`, cell]));
  return [...keys.values()].map(({ subject, conc }) => {
    const own = cellsOf(cells, subject, conc);
    const ratioTo = (/** @type {Measured['subject']} */ floor) => (/** @type {(cell: Measured) => number} */ pick) =>
      pairedRatio(byRepetition(own, pick), byRepetition(cellsOf(cells, floor, conc), pick));
    const [ratio, ratioP] = [ratioTo('F2'), ratioTo('F2p')];
    const medianOf = (/** @type {(cell: Measured) => number} */ pick) => median(own.map(pick));
    return {
      subject,
      conc,
      rate: medianOf((cell) => cell.rate),
      p50: medianOf((cell) => cell.p50),
      p95: medianOf((cell) => cell.p95),
      p99: medianOf((cell) => cell.p99),
      rateToF2: ratio((cell) => cell.rate),
      p50ToF2: ratio((cell) => cell.p50),
      cpuToF2: ratio((cell) => cell.cpuUsTotal),
      rateToF2p: ratioP((cell) => cell.rate),
      p50ToF2p: ratioP((cell) => cell.p50),
      cpuToF2p: ratioP((cell) => cell.cpuUsTotal),
      work: foldByName(
        own.map((cell) => cell.work),
        median,
      ),
      cpuUs: foldByName(
        own.map((cell) => cell.cpuUs),
        (values) => Math.round(median(values)),
      ),
      cpuUsTotal: Math.round(medianOf((cell) => cell.cpuUsTotal)),
      non2xx: own.reduce((sum, { answers }) => sum + countNon2xx(answers), 0),
      foreignShare: medianOf((cell) => cell.foreignShare),
      noisy: own.filter(isNoisy).length,
      rssMb: foldByName(
        own.map((cell) => cell.rssMb),
        (values) => Math.max(...values),
      ),
    };
  });
}

/** @param {Record<string, number>} answers */
const countNon2xx = (answers) =>
  Object.entries(answers).reduce((sum, [status, count]) => (status.startsWith('2') ? sum : sum + count), 0);

/** @param {readonly (readonly string[])[]} rows the first is the head */
export function align(rows) {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  return rows
    .map((row) =>
      row
        .map((text, column) => (column === 0 ? text.padEnd(widths[0] ?? 0) : text.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

const FLOOR_NAMES = {
  F1: 'F1 driver alone',
  F2: 'F2 monolith',
  F2p: 'F2p with processor',
  F3: 'F3 queue alone',
  F4: 'F4 HTTP tier alone',
  gateway: 'gateway',
};
const ORDER = ['gateway', 'F2', 'F2p', 'F1', 'F3', 'F4'];
const PROCESSES = ['api', 'worker', 'mongodb', 'redis', 'simulator'];

/** @param {Row} row */
const isBefore = ({ subject, conc }, /** @type {Row} */ other) =>
  ORDER.indexOf(subject) - ORDER.indexOf(other.subject) || conc - other.conc;

/**
 * Renders the table of medians.
 * @param {readonly Row[]} rows
 * @param {Record<string, number>} baseline stored rate/F2 by concurrency
 */
export function renderTable(rows, baseline) {
  const head = ['', 'c', '1/s', 'p50 ms', 'p95', 'p99', 'rate/F2', 'kept', 'p50/F2', 'CPU/F2'];
  const headP = ['rate/F2p', 'p50/F2p', 'CPU/F2p', 'CPU µs'];
  const body = [...rows].sort(isBefore).map((row) => {
    const gateway = row.subject === 'gateway';
    const relative = (/** @type {number} */ value) => (gateway ? number(value, 2) : '');
    return [
      FLOOR_NAMES[row.subject],
      String(row.conc),
      number(row.rate),
      number(row.p50, 1),
      number(row.p95, 1),
      number(row.p99, 1),
      relative(row.rateToF2),
      gateway ? number(baseline[String(row.conc)] ?? Number.NaN, 2) : '',
      relative(row.p50ToF2),
      relative(row.cpuToF2),
      relative(row.rateToF2p),
      relative(row.p50ToF2p),
      relative(row.cpuToF2p),
      number(row.cpuUsTotal),
      ...PROCESSES.map((name) => (gateway ? number(row.cpuUs[name] ?? 0) : '')),
      gateway ? String(row.non2xx) : '',
      gateway ? `${row.rssMb.api}/${row.rssMb.worker}` : '',
      percent(row.foreignShare),
      row.noisy > 0 ? `NOISY ${row.noisy}x` : '',
    ];
  });
  return align([[...head, ...headP, ...PROCESSES, 'non-2xx', 'RSS MB api/worker', 'foreign', ''], ...body]);
}

/** Subjects whose payments use both servers, or could. */
const WORKED = new Set(['gateway', 'F2', 'F2p']);

/**
 * Renders the work of the servers per payment: these figures are the same on other machines.
 * @param {readonly Row[]} rows
 */
export function renderWork(rows) {
  const shown = [...rows].filter(({ subject }) => WORKED.has(subject)).sort(isBefore);
  const names = Object.keys(shown[0]?.work ?? {});
  const body = shown.map((row) => [
    FLOOR_NAMES[row.subject],
    String(row.conc),
    ...names.map((name) => number(row.work[name] ?? Number.NaN, name.includes('bytes') ? 0 : 2)),
  ]);
  return align([['per payment', 'c', ...names], ...body]);
}

/** Renders one line while the benchmark runs. @param {Measured} cell @param {string} label */
export function renderCell(cell, label) {
  const triesNote = cell.tries > 1 ? `, ${cell.tries} tries` : '';
  const noisy = isNoisy(cell) ? ' NOISY' : '';
  return (
    `${label.padEnd(22)} ${number(cell.rate).padStart(6)}/s  p50 ${number(cell.p50, 1).padStart(6)} ms  ` +
    `CPU ${number(cell.cpuUsTotal).padStart(5)} µs  foreign ${percent(cell.foreignShare)}${triesNote}${noisy}`
  );
}

/**
 * Renders the result of the profile with a slow processor.
 * @param {readonly Measured[]} cells
 * @param {number} limitPerSecond rate that the processor's time alone allows
 */
export function renderSlow(cells, limitPerSecond) {
  const rate = median(cells.map((cell) => cell.rate));
  const idle = median(cells.map((cell) => cell.idleShare));
  const p99 = median(cells.map((cell) => cell.p99));
  const declined = cells.reduce((sum, { answers }) => sum + (answers['422'] ?? 0), 0);
  return (
    `slow processor (300 ms, 5 % declined, callbacks on) c=256: ${number(rate)}/s = ${number(rate / limitPerSecond, 2)} of ` +
    `${number(limitPerSecond)}/s, p99 ${number(p99)} ms, ${declined} declined, ${percent(idle)} of the machine idle`
  );
}
