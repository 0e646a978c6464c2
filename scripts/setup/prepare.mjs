/** Prepares what `npm start`, `npm test` and the other scripts need: packages, a build, the server programs. */
import { join } from 'node:path';
import { build } from './build.mjs';
import { withLock } from './lock.mjs';
import { NotObtained, obtain } from './obtain.mjs';
import { chromium } from './obtain-chromium.mjs';
import { faketime, faketimeLibrary } from './obtain-faketime.mjs';
import { mongodb } from './obtain-mongodb.mjs';
import { redis } from './obtain-redis.mjs';
import { installPackages } from './packages.mjs';
import { local, root } from './paths.mjs';
import { Problem, Stopped } from './problem.mjs';
import { sweepStaging } from './stage.mjs';

/** @typedef {import('./obtain.mjs').ServerBinary} ServerBinary */
/** @typedef {import('./obtain.mjs').ServerKind} ServerKind */
/** @typedef {import('./progress.mjs').Progress} Progress */

/**
 * Installs, obtains and builds what is missing, one run at a time: a second run waits, then finds everything done.
 * @param {{ progress: Progress, signal: AbortSignal, needs: { mongodb: boolean, redis: boolean } }} options
 * @returns {Promise<{ mongodb: ServerBinary | undefined, redis: ServerBinary | undefined }>}
 * @throws {Problem} with one message for everything that cannot be obtained
 */
export function prepare({ progress, signal, needs }) {
  const onWait = (/** @type {number} */ pid) =>
    progress.print(`Waiting for process ${pid}, which is installing or building`);
  return withLock(
    join(local, 'prepare.lock'),
    async () => {
      sweepStaging(local);
      const found = await allOrNothing(signal, (either) => [
        installPackages(root, progress, either),
        needs.mongodb ? obtainWithProgress(mongodb, progress, either) : undefined,
        needs.redis ? obtainWithProgress(redis, progress, either) : undefined,
      ]);
      await build(root, progress, signal);
      return { mongodb: found[1], redis: found[2] };
    },
    { onWait, signal },
  );
}

/**
 * Waits for all parts. A failure that makes the others pointless, such as a full disk, stops them. One message names everything
 * that cannot be obtained.
 * @template {readonly unknown[]} T
 * @param {AbortSignal} signal
 * @param {(either: AbortSignal) => readonly [...{ [K in keyof T]: Promise<T[K]> | T[K] }]} begin
 * @returns {Promise<T>}
 */
async function allOrNothing(signal, begin) {
  const failure = new AbortController();
  const results = await Promise.allSettled(
    begin(AbortSignal.any([signal, failure.signal])).map(async (work) => {
      try {
        return await work;
      } catch (error) {
        if (!(error instanceof NotObtained)) failure.abort();
        throw error;
      }
    }),
  );
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  const fatal = reasons.find((reason) => !(reason instanceof NotObtained || reason instanceof Stopped));
  if (fatal) throw fatal;
  const missing = reasons.filter((reason) => reason instanceof NotObtained);
  if (missing.length > 0) throw new Problem(missing.map(({ message }) => message).join('\n'));
  if (reasons.length > 0) throw reasons[0];
  return /** @type {any} */ (results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)));
}

/**
 * Finds or downloads the browser for the tests of pages. Without a browser the tests run, and learn the reason. The
 * packages have to be installed.
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<string | undefined>} path of the program
 */
export async function findBrowser(progress, signal) {
  try {
    return (
      await withLock(join(local, 'prepare.lock'), () => obtainWithProgress(chromium, progress, signal), { signal })
    ).binary;
  } catch (error) {
    if (!(error instanceof NotObtained)) throw error;
    progress.print(`The tests of pages are skipped. ${error.message}`);
    return undefined;
  }
}

/**
 * Finds the library that steps the clocks of single processes, for the tests and chaos runs that do so.
 * @param {Progress} progress
 * @param {AbortSignal} signal
 * @returns {Promise<string>} path of the library; empty when there is none
 */
export async function findFaketime(progress, signal) {
  try {
    const found = await withLock(join(local, 'prepare.lock'), () => obtainWithProgress(faketime, progress, signal), {
      signal,
    });
    return faketimeLibrary(found.binary);
  } catch (error) {
    if (!(error instanceof NotObtained)) throw error;
    progress.print(`Clocks are not stepped. ${error.message}`);
    return '';
  }
}

/** @param {ServerKind} kind @param {Progress} progress @param {AbortSignal} signal */
function obtainWithProgress(kind, progress, signal) {
  return progress.step(`Looking for ${kind.name}`, async (settle) => {
    const found = await obtain(kind, { folder: local, signal, offline: process.env.SETUP_OFFLINE === '1' });
    settle(`${kind.name} ${found.version} from ${found.source}`);
    return found;
  });
}
