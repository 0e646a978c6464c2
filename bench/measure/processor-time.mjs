/** Reads the processor time of single processes and of the whole machine from /proc. Without /proc it is unknown. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** @param {string} path */
function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

let ticksPerSecond = 0;
function tickMs() {
  if (ticksPerSecond === 0) {
    try {
      ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) || 100;
    } catch {
      ticksPerSecond = 100;
    }
  }
  return 1_000 / ticksPerSecond;
}

/**
 * Returns the processor time that a process has used (ms): all its threads, user and system.
 * @param {string} stat content of /proc/<pid>/stat
 * @param {number} msPerTick
 */
export function parseProcessMs(stat, msPerTick) {
  // The second field is the program's name in parentheses, which may contain spaces: count from the last parenthesis.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * msPerTick;
}

/**
 * Returns the time of the whole machine (ms), over all cores. `busy` leaves out work for interrupts: it is done while any process
 * happens to run, ours included, and belongs to none. Time that a hypervisor gave to other machines counts as busy.
 * @param {string} stat content of /proc/stat
 * @param {number} msPerTick
 * @returns {{ busyMs: number, totalMs: number }}
 */
export function parseMachine(stat, msPerTick) {
  const line = stat.split('\n', 1)[0] ?? '';
  const [user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  const busy = user + nice + system + steal;
  return { busyMs: busy * msPerTick, totalMs: (busy + idle + iowait + irq + softirq) * msPerTick };
}

/**
 * @typedef {object} Reading
 * @property {Record<string, number>} processMs by name
 * @property {number} busyMs
 * @property {number} totalMs 0 without /proc
 */

/**
 * @param {Readonly<Record<string, number>>} pids by name
 * @returns {Reading}
 */
export function readProcessorTime(pids) {
  const ms = tickMs();
  const processMs = Object.fromEntries(
    Object.entries(pids).map(([name, pid]) => [name, parseProcessMs(read(`/proc/${pid}/stat`), ms)]),
  );
  return { processMs, ...parseMachine(read('/proc/stat'), ms) };
}

/**
 * Returns what was used between two readings.
 * @param {Reading} before
 * @param {Reading} after
 * @returns {{ processMs: Record<string, number>, foreignShare: number, idleShare: number }} shares of the whole machine;
 *   `foreignShare` is the processor time of all other processes
 */
export function spentBetween(before, after) {
  const processMs = Object.fromEntries(
    Object.entries(after.processMs).map(([name, ms]) => [name, ms - (before.processMs[name] ?? 0)]),
  );
  const totalMs = after.totalMs - before.totalMs;
  if (totalMs <= 0) return { processMs, foreignShare: 0, idleShare: 0 };
  const busyMs = after.busyMs - before.busyMs;
  const ownMs = Object.values(processMs).reduce((sum, ms) => sum + ms, 0);
  return {
    processMs,
    foreignShare: Math.max(0, busyMs - ownMs) / totalMs,
    idleShare: Math.max(0, 1 - busyMs / totalMs),
  };
}

/** Returns the resident memory of a process (MB), 0 when it is unknown. @param {number} pid */
export function residentMb(pid) {
  return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1_024);
}
