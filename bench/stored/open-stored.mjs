/** The gateway over a database that is full of payments: filled now, or kept by an earlier run. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../../scripts/setup/problem.mjs';
import { clearFolders, foldersOf, prepareEnvironment, withMongo } from '../environment.mjs';
import { newKeys, startGateway } from '../gateway.mjs';
import { paymentRequest } from '../load/payment-request.mjs';
import { FILLED_TRACE, fill } from './fill.mjs';

/** Filled databases that are kept have a folder of their own; those of single runs are removed. */
/** The indexes of a million payments fit into it (GB): what an operator gives MongoDB has to hold them (docs/operations.md). */
export const STORED_CACHE_GB = 2;
const KEPT = { folders: foldersOf('stored'), kept: 'bench_stored', cacheGb: STORED_CACHE_GB };
const OF_ONE_RUN = { folders: foldersOf('bench/stored'), cacheGb: STORED_CACHE_GB };

/**
 * What has to be known of a kept database.
 * @typedef {object} Kept
 * @property {number} stored
 * @property {number} filledAt ms since the epoch
 * @property {ReturnType<typeof newKeys>} keys
 */

const noteFile = join(KEPT.folders.data, 'kept.json');

/** @param {number} stored @returns {Kept | undefined} of a database with so many payments */
function readKept(stored) {
  try {
    const kept = JSON.parse(readFileSync(noteFile, 'utf8'));
    return kept.stored === stored ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Pays once, so that there is a payment to copy. @param {import('../gateway.mjs').Gateway} gateway */
async function payOnce({ port, authorization }) {
  const response = await fetch(`http://127.0.0.1:${port}/v1/payments`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify(paymentRequest({ reference: 'example' })),
  });
  if (response.status !== 200) throw new Problem(`A payment was answered ${response.status}: ${await response.text()}`);
}

/** What runs over the kept database have paid is no part of it. @param {string} uri */
const removePaid = (uri) =>
  withMongo(uri, (client) =>
    client
      .db()
      .collection('payments')
      .deleteMany({ traceId: { $ne: FILLED_TRACE } }),
  );

/**
 * @param {{ stored: number, keep: boolean }} options `keep`: the database stays, and the next run need not fill one
 * @param {import('../../scripts/setup/progress.mjs').Progress} progress
 * @param {import('../ending.mjs').Ending} ending
 * @param {AbortSignal} signal
 * @returns {Promise<{ environment: import('../environment.mjs').Environment, gateway: import('../gateway.mjs').Gateway,
 *   filledAt: number, paid: number }>} `paid`: payments that were really paid for it
 */
export async function openStored({ stored, keep }, progress, ending, signal) {
  if (keep && process.env.MONGODB_URI) throw new Problem('--keep needs a MongoDB of its own: unset MONGODB_URI.');
  const place = keep ? KEPT : OF_ONE_RUN;
  await clearFolders(place.folders);
  const found = keep ? readKept(stored) : undefined;
  if (!found) rmSync(place.folders.data, { recursive: true, force: true });
  mkdirSync(place.folders.data, { recursive: true });
  // The test processor's books are those of this run.
  rmSync(join(place.folders.data, 'ledger.jsonl'), { force: true });
  const environment = await prepareEnvironment(progress, signal, ending.servers, place);
  ending.environment = environment;
  const keys = found?.keys ?? newKeys();
  const gateway = await progress.step('Starting the gateway', () =>
    startGateway(environment, { signal, keys, running: ending.gateway }),
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
  if (keep) writeFileSync(noteFile, JSON.stringify({ stored, filledAt, keys }), { mode: 0o600 });
  return { environment, gateway, filledAt, paid: 1 };
}
