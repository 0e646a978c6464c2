/** Counts what jest reports, so that nothing that failed goes uncounted. */
import { readFileSync } from 'node:fs';

/**
 * The part of jest's JSON report that is read; a test that was skipped is pending there.
 * @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numRuntimeErrorTestSuites: number }} Report
 */

/**
 * A suite that could not run counts as one failure, and so does a run that failed without saying where.
 * @param {Report | undefined} report undefined when jest wrote none
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
