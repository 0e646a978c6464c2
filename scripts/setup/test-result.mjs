/** Counts the results that jest reports, so that no failure goes uncounted. */
import { readFileSync } from 'node:fs';

/**
 * The part of jest's JSON report that is read. A skipped test is called pending there.
 * @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numRuntimeErrorTestSuites: number }} Report
 */

/**
 * Counts a suite that could not run as one failure, and also a run that failed without saying where.
 * @param {Report | undefined} report undefined when jest wrote no report
 * @param {number | null} exitCode jest's; null when it was killed
 */
export function countResult(report, exitCode) {
  const counted = (report?.numFailedTests ?? 0) + (report?.numRuntimeErrorTestSuites ?? 0);
  const failed = exitCode !== 0 || !report ? Math.max(counted, 1) : counted;
  return { passed: report?.numPassedTests ?? 0, failed, skipped: report?.numPendingTests ?? 0 };
}

/** @param {string} file @returns {Report | undefined} */
export function readReport(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}
