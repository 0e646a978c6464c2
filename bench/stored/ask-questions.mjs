/** Sends `GET /v1/payments/query` over HTTP: for the first page, the next one, and pages deep inside, each several times. */
import { tsImport } from 'tsx/esm/api';
import { withMongo } from '../environment.mjs';
import { createdAtOf } from './fill.mjs';

/** Depth of the pages that are requested beside the first and the next: share of all payments that are newer. */
const DEPTHS = [0.5, 0.95];

/**
 * One page of a question, requested several times.
 * @typedef {object} Page
 * @property {string} at `first`, `next`, or how deep
 * @property {number[]} ms
 * @property {number} status of an answer that was not 200, if there was one
 * @property {number} found payments on the page
 * @property {number} documents documents that were examined for it
 * @property {number} keys index keys that were examined for it
 */
/** @typedef {{ name: string, pages: Page[] }} AnsweredQuestion */

/**
 * Loads the maker of cursors from source, because no built program has the API's code for it alone.
 * @returns {Promise<{ createCursors(digestKey: string, client: { clientId: string }, timeAt: (share: number) => Date):
 *   (filter: import('./questions.mjs').Filter, depth: number) => string }>}
 */
const loadCursors = () => tsImport(new URL('./create-cursors.ts', import.meta.url).href, import.meta.url);

/** Long parts of the status that are not needed. */
const EXCLUDED_SECTIONS = { wiredTiger: 0, locks: 0, tcmalloc: 0 };

/** Returns how much all statements have examined since the start. @param {import('mongoose').mongo.Db} admin */
async function readExamined(admin) {
  const { metrics } = await admin.command({ serverStatus: 1, ...EXCLUDED_SECTIONS });
  return { documents: Number(metrics.queryExecutor.scannedObjects), keys: Number(metrics.queryExecutor.scanned) };
}

/** @param {import('../gateway.mjs').Gateway} gateway */
function createGet({ port, authorization }) {
  return async (/** @type {Record<string, string>} */ parameters) => {
    const startedAt = performance.now();
    const url = `http://127.0.0.1:${port}/v1/payments/query?${new URLSearchParams(parameters)}`;
    const response = await fetch(url, { headers: { authorization } });
    const body = /** @type {any} */ (await response.json());
    return { ms: performance.now() - startedAt, status: response.status, body };
  };
}

/**
 * @param {object} given
 * @param {import('../gateway.mjs').Gateway} given.gateway
 * @param {string} given.mongodbUri
 * @param {number} given.stored
 * @param {number} given.filledAt
 * @param {number} given.reps
 * @param {readonly import('./questions.mjs').Question[]} given.questions
 * @param {(done: number) => void} given.onQuestion
 * @returns {Promise<AnsweredQuestion[]>}
 */
export async function askAll({ gateway, mongodbUri, stored, filledAt, reps, questions, onQuestion }) {
  const get = createGet(gateway);
  const timeAt = (/** @type {number} */ share) => new Date(createdAtOf(Math.floor(stored * share), stored, filledAt));
  const { createCursors } = await loadCursors();
  const cursorAt = createCursors(String(gateway.env.DIGEST_KEY), gateway.client, timeAt);

  /** @param {import('mongoose').mongo.Db} admin @param {import('./questions.mjs').Question} question */
  async function ask(admin, { name, filter }) {
    /** @type {Map<string, Page>} */
    const pages = new Map();
    const requestPage = async (/** @type {string} */ where, /** @type {string | undefined} */ cursor) => {
      const before = await readExamined(admin);
      const { ms, status, body } = await get({ ...filter, ...(cursor !== undefined && { cursor }) });
      const after = await readExamined(admin);
      const entry = pages.get(where) ?? { at: where, ms: [], status: 200, found: 0, documents: 0, keys: 0 };
      entry.ms.push(ms);
      if (status !== 200) entry.status = status;
      entry.found = body.data?.length ?? 0;
      entry.documents = Math.max(entry.documents, after.documents - before.documents);
      entry.keys = Math.max(entry.keys, after.keys - before.keys);
      pages.set(where, entry);
      return body.nextCursor ?? undefined;
    };
    for (let repetition = 0; repetition < reps; repetition += 1) {
      const next = await requestPage('first', undefined);
      if (next !== undefined) await requestPage('next', next);
      for (const depth of DEPTHS) await requestPage(`${depth * 100} %`, cursorAt(filter, depth));
    }
    return { name, pages: [...pages.values()] };
  }

  return withMongo(mongodbUri, async (client) => {
    const asked = [];
    for (const question of questions) {
      asked.push(await ask(client.db('admin'), question));
      onQuestion(asked.length);
    }
    return asked;
  });
}
