/** `npm run queries`: measures how long each page takes in a full database, for every filter and every pair of filters. */
import { writeFileSync } from 'node:fs';
import { runCommandWithCleanup, takeLock } from '../cleanup.mjs';
import { paymentsOf } from '../collections.mjs';
import { withMongo } from '../environment.mjs';
import { readProcessorTime, spentBetween } from '../measure/processor-time.mjs';
import { depthRatio, judgeAnswers, renderRows, toRows } from './answers.mjs';
import { askAll } from './ask-questions.mjs';
import { referenceOf } from './fill.mjs';
import { openStored } from './open-stored.mjs';
import { readQueryOptions } from './query-options.mjs';
import { filtersOf, questionsOf } from './questions.mjs';

/** Default size of a page (config/limits.ts). */
const PAGE_SIZE = 20;
const PROGRESS_EVERY = 50;

/** Returns the id of the payment in the middle. @param {string} uri @param {number} stored */
async function middleId(uri, stored) {
  const found = await withMongo(uri, (client) =>
    paymentsOf(client).findOne({ referenceId: referenceOf(Math.floor(stored / 2)) }, { projection: { _id: 1 } }),
  );
  return String(found?._id);
}

/**
 * @param {import('./query-options.mjs').QueryOptions} options
 * @param {import('../../scripts/setup/progress.mjs').Progress} progress
 * @param {import('../cleanup.mjs').Cleanup} cleanup
 * @param {AbortSignal} signal
 */
async function runQuestions(options, progress, cleanup, signal) {
  const { stored, reps } = options;
  takeLock('npm run queries');
  const { environment, gateway, filledAt } = await openStored(options, progress, cleanup, signal);
  const { mongodbUri } = environment;
  const id = await middleId(mongodbUri, stored);
  const questions = questionsOf(filtersOf({ stored, filledAt, id }));
  const pids = { ...environment.pids, ...gateway.pids, bench: process.pid };
  const before = readProcessorTime(pids);
  const onQuestion = (/** @type {number} */ done) => {
    if (done % PROGRESS_EVERY === 0) progress.print(`  ${done} of ${questions.length} questions`);
  };
  const asked = await askAll({ gateway, mongodbUri, stored, filledAt, reps, questions, onQuestion });
  const { foreignShare } = spentBetween(before, readProcessorTime(pids));
  return { asked, foreignShare };
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runQueries = (args) =>
  runCommandWithCleanup(async ({ progress, cleanup, signal }) => {
    const options = readQueryOptions(args);
    const { asked, foreignShare } = await runQuestions(options, progress, cleanup, signal);
    const rows = toRows(asked, PAGE_SIZE);
    const verdict = judgeAnswers({ asked, rows, stored: options.stored, foreignShare });
    const { questions, most } = depthRatio(rows);
    console.log(`\n${renderRows(rows)}\n`);
    console.log(
      `${rows.length} questions over ${options.stored} payments; foreign ${Math.round(foreignShare * 100)} %\n` +
        `${questions} have full pages at every depth: their slowest page takes up to ${most.toFixed(1)}x the first`,
    );
    console.log(verdict.text);
    if (options.json)
      writeFileSync(options.json, `${JSON.stringify({ verdict, foreignShare, rows, asked }, null, 2)}\n`);
    return verdict.exitCode;
  });
