/** Reports the results of the mutants, by file. Pure. */
import { relative } from 'node:path';

/**
 * @typedef {object} FileScore
 * @property {string} file
 * @property {number} noticed killed by a test, or ended by a time-out
 * @property {number} unnoticed all tests passed, or no test reaches the place
 * @property {readonly { line: number, column: number, mutator: string, replacement: string, covered: boolean }[]} survivors
 */

const NOTICED = new Set(['Killed', 'Timeout']);
const UNNOTICED = new Set(['Survived', 'NoCoverage']);

/**
 * @param {readonly import('@stryker-mutator/api/core').MutantResult[]} results
 * @param {string} root of the project
 * @returns {FileScore[]}
 */
export function readMutants(results, root) {
  const files = [...new Set(results.map(({ fileName }) => fileName))].sort();
  return files.map((fileName) => {
    const own = results.filter((result) => result.fileName === fileName);
    const survivors = own
      .filter(({ status }) => UNNOTICED.has(status))
      .map(({ location: { start }, mutatorName, replacement = '', status }) => ({
        line: start.line,
        column: start.column,
        mutator: mutatorName,
        replacement,
        covered: status === 'Survived',
      }));
    return {
      file: relative(root, fileName),
      noticed: own.filter(({ status }) => NOTICED.has(status)).length,
      unnoticed: survivors.length,
      survivors,
    };
  });
}

/** @param {number} noticed @param {number} unnoticed */
const score = (noticed, unnoticed) =>
  noticed + unnoticed === 0 ? '-' : `${((100 * noticed) / (noticed + unnoticed)).toFixed(1)} %`;

const REPLACEMENT_SHOWN = 80;

/** @param {readonly FileScore[]} files */
export function renderMutants(files) {
  const lines = [];
  for (const { file, noticed, unnoticed, survivors } of files) {
    lines.push(`${file}: ${score(noticed, unnoticed)} of ${noticed + unnoticed}`);
    for (const { line, column, mutator, replacement, covered } of survivors) {
      const shown = replacement.replace(/\s+/g, ' ').slice(0, REPLACEMENT_SHOWN);
      lines.push(`  ${file}:${line}:${column} ${mutator}${covered ? '' : ', reached by no test'}: ${shown}`);
    }
  }
  const noticed = files.reduce((sum, file) => sum + file.noticed, 0);
  const unnoticed = files.reduce((sum, file) => sum + file.unnoticed, 0);
  lines.push(`together: ${score(noticed, unnoticed)} of ${noticed + unnoticed} mutants were noticed`);
  return lines.join('\n');
}
