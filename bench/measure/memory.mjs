/** Resident memory of processes while they work. */
import { residentMb } from './processor-time.mjs';

const EVERY_MS = 200;

/**
 * Reads the memory repeatedly until it is stopped: a garbage collection right before the end must not hide the maximum.
 * @param {Readonly<Record<string, number>>} pids by name
 * @param {(pid: number) => number} [read]
 * @returns {{ stop: () => Record<string, number> }} `stop` returns the maximum of each process (MB)
 */
export function watchMemory(pids, read = residentMb) {
  const maxima = Object.fromEntries(Object.keys(pids).map((name) => [name, 0]));
  const sample = () => {
    for (const [name, pid] of Object.entries(pids)) maxima[name] = Math.max(maxima[name] ?? 0, read(pid));
  };
  const timer = setInterval(sample, EVERY_MS);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      return maxima;
    },
  };
}

/**
 * @param {readonly Readonly<Record<string, number>>[]} readings by process
 * @returns {Record<string, number>} the maximum of each process
 */
export function maximaOf(readings) {
  /** @type {Record<string, number>} */
  const maxima = {};
  for (const reading of readings) {
    for (const [name, mb] of Object.entries(reading)) maxima[name] = Math.max(maxima[name] ?? 0, mb);
  }
  return maxima;
}

/**
 * Returns the memory limits for a release of Node: releases use different amounts, and collect garbage at different times.
 * @param {Readonly<Record<string, Readonly<Record<string, number>>>>} limits MB by process, by the release that they were measured with
 * @param {string} [release] its major version
 * @returns {Readonly<Record<string, number>>} limits of this release, else of the newest known one
 */
export const limitsOf = (limits, release = process.versions.node.split('.')[0] ?? '') =>
  limits[release] ?? limits[Object.keys(limits).at(-1) ?? ''] ?? {};

/**
 * @param {Readonly<Record<string, number>>} maxima MB by process
 * @param {Readonly<Record<string, number>>} limits MB by process
 * @returns {string[]} one text for each process that exceeded its limit
 */
export const exceededLimits = (maxima, limits) =>
  Object.entries(limits)
    .filter(([name, limit]) => (maxima[name] ?? 0) > limit)
    .map(([name, limit]) => `${name} held ${maxima[name]} MB; its limit is ${limit} MB`);

/** Renders one line. @param {Readonly<Record<string, number>>} maxima @param {Readonly<Record<string, number>>} limits */
export const renderMemory = (maxima, limits) =>
  `memory under load, the most: ${Object.entries(limits)
    .map(([name, limit]) => `${name} ${maxima[name] ?? '-'} of ${limit} MB`)
    .join(', ')}`;
