/** Opens the gateway over a database that is full of payments: filled now, or kept by an earlier run. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../scripts/setup/problem.mjs';
import { paymentsOf } from '../collections.mjs';
import { clearFolders, foldersOf, prepareEnvironment, withMongo } from '../environment.mjs';
import { newKeys, startGateway } from '../gateway.mjs';
import { paymentRequest } from '../load/payment-request.mjs';
import { FILLED_TRACE, fill } from './fill.mjs';

/**
 * Cache that holds the indexes of a million payments (GB), as an operator's MongoDB has to (docs/operations.md). Filled databases
 * that are kept have a separate folder. Those of single runs are removed.
 */
export const STORED_CACHE_GB = 2;
const KEPT_DATABASE = { folders: foldersOf('stored'), kept: 'bench_stored', cacheGb: STORED_CACHE_GB };
const TEMPORARY_DATABASE = { folders: foldersOf('bench/stored'), cacheGb: STORED_CACHE_GB };

/**
 * Data about a kept database that the next run needs.
 * @typedef {object} KeptDatabase
 * @property {number} stored
 * @property {number} filledAt ms since the epoch
 * @property {ReturnType<typeof newKeys>} keys
 */

const keptFile = join(KEPT_DATABASE.folders.data, 'kept.json');

/** @param {number} stored @returns {KeptDatabase | undefined} data about a kept database with this many payments */
function readKept(stored) {
  try {
    const kept = JSON.parse(readFileSync(keptFile, 'utf8'));
    return kept.stored === stored ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Makes one payment that can be copied. @param {import('../gateway.mjs').Gateway} gateway */
async function payOnce({ port, authorization }) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/payments`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(paymentRequest({ reference: 'example' })),
  });
  if (response.status !== 200) throw new Problem(`A payment was answered ${response.status}: ${await response.text()}`);
}

/** Removes payments that were really made over the kept database. @param {string} uri */
const removePaid = (uri) =>
  withMongo(uri, (client) => paymentsOf(client).deleteMany({ traceId: { $ne: FILLED_TRACE } }));

/**
 * @param {{ stored: number, keep: boolean }} options `keep`: keeps the database, so that the next run need not fill one
 * @param {import('../../scripts/setup/progress.mjs').Progress} progress
 * @param {import('../cleanup.mjs').Cleanup} cleanup
 * @param {AbortSignal} signal
 * @returns {Promise<{ environment: import('../environment.mjs').Environment, gateway: import('../gateway.mjs').Gateway,
 *   filledAt: number, paid: number }>} `paid`: number of payments that were really made for it
 */
export async function openStored({ stored, keep }, progress, cleanup, signal) {
  if (keep && process.env.MONGODB_URI) throw new Problem('--keep needs a MongoDB of its own: unset MONGODB_URI.');
  const place = keep ? KEPT_DATABASE : TEMPORARY_DATABASE;
  await clearFolders(place.folders);
  const found = keep ? readKept(stored) : undefined;
  if (!found) rmSync(place.folders.data, { recursive: true, force: true });
  mkdirSync(place.folders.data, { recursive: true });
  // The test processor's books must contain only this run.
  rmSync(join(place.folders.data, 'ledger.jsonl'), { force: true });
  const environment = await prepareEnvironment(progress, signal, cleanup.servers, place);
  cleanup.environment = environment;
  const keys = found?.keys ?? newKeys();
  const gateway = await progress.step('Starting the gateway', () =>
    startGateway(environment, { signal, keys, running: cleanup.gateway }),
  );
  if (found) {
    await progress.step(`Keeping ${stored} payments of an earlier run`, () => removePaid(environment.mongodbUri));
    return { environment, gateway, filledAt: found.filledAt, paid: 0 };
  }
  const filledAt = Date.now();
  await progress.step(`Filling the database with ${stored} payments`, async () => {
    await payOnce(gateway);
    await fill(environment.mongodbUri, stored, filledAt);
  });
  if (keep) writeFileSync(keptFile, JSON.stringify({ stored, filledAt, keys }), { mode: 0o600 });
  return { environment, gateway, filledAt, paid: 1 };
}
