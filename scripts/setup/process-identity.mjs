/** Tells whether a process remembered by its id is still the same one: ids are reused, start times are not. */
import { readFileSync } from 'node:fs';

/** @typedef {{ pid: number, identity: string }} KnownProcess */

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/**
 * Returns state letter, start time and processor time (ticks) of a process from /proc; undefined without /proc or such a process.
 * @param {number} pid
 */
function stat(pid) {
  // The second field is the program's name in parentheses, which may contain spaces: count from the last parenthesis.
  const line = read(`/proc/${pid}/stat`);
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return line ? { state: fields[0], startedAt: fields[19], ticks: Number(fields[11]) + Number(fields[12]) } : undefined;
}

/**
 * Returns what distinguishes this process from a later one with the same id. Empty when the system does not say.
 * @param {number} pid
 */
export function identityOf(pid) {
  const known = stat(pid);
  return known ? `${read('/proc/sys/kernel/random/boot_id').trim()}:${known.startedAt}` : '';
}

/** A tick of /proc is a hundredth of a second on every Linux that Node runs on. */
const TICK_MS = 10;

/**
 * Returns the processor time that a process has used (ms); undefined when the system does not say.
 * @param {number} pid
 */
export function cpuMsOf(pid) {
  const known = stat(pid);
  return known && known.ticks * TICK_MS;
}

/** @param {number} pid */
function exists(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
}

/**
 * Whether exactly this process still runs. A zombie does not count.
 * @param {KnownProcess} known
 */
export function isRunning({ pid, identity }) {
  if (!Number.isInteger(pid) || pid <= 0 || !exists(pid)) return false;
  if (stat(pid)?.state === 'Z') return false;
  return identity === '' || identityOf(pid) === identity;
}
