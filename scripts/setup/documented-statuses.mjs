/** Finds documented answers without a test: a status of an operation that the OpenAPI document promises and that no test received. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Statuses that the machinery decides alike for every endpoint. test/wire/machinery-statuses.test.ts goes through all of them. */
const MACHINERY = ['413', '415', '429', '500', '503'];

/**
 * A replay has no body that could differ, and ends at once. The conflict of a replay is that of any Idempotency-Key, which
 * test/pipeline/idempotency.test.ts covers.
 */
const EXCEPTIONS = ['replayCallback 409', 'replaySessionCallback 409'];

/** @param {string} folder @returns {Set<string>} `<operationId> <status>` */
function readMetStatuses(folder) {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return new Set(files.flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')));
}

/**
 * @param {string} documentFile the OpenAPI document
 * @param {string} metFolder where the suites wrote the statuses that they received
 * @returns {string[]} `<operationId> <status>`, sorted
 */
export function unmetStatuses(documentFile, metFolder) {
  const { paths } = JSON.parse(readFileSync(documentFile, 'utf8'));
  const met = readMetStatuses(metFolder);
  return Object.values(paths)
    .flatMap((path) => Object.values(path))
    .flatMap(({ operationId, responses }) => Object.keys(responses).map((status) => ({ operationId, status })))
    .filter(({ status }) => !MACHINERY.includes(status))
    .map(({ operationId, status }) => `${operationId} ${status}`)
    .filter((pair) => !met.has(pair) && !EXCEPTIONS.includes(pair))
    .sort();
}
