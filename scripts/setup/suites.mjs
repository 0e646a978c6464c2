/** Decides which suites are unit tests: those that need no server, no browser and little time. jest.config.mjs builds on it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Files that know where MongoDB, Redis and Chromium are, or start one. A suite that imports one of them is not a unit test. */
export const serverSetUp = [
  'test/support/services.ts',
  'test/support/own-servers.ts',
  'test/support/own-redis-server.ts',
  'test/support/own-sentinels.ts',
  'test/support/own-redis-tls.ts',
  'test/support/own-replica-set.ts',
  'test/support/browser.ts',
];

/**
 * Suites that need no server but the compiled gateway, or that take three seconds or more: thousands of runs, each field of each endpoint,
 * processes and threads that they start, time-outs that they wait for.
 */
export const longSuites = [
  'test/config/refusals.test.ts',
  'test/conformance/sandbox.test.ts',
  'test/contract/joi-shortcut.test.ts',
  'test/guards/dependency-rules.test.ts',
  'test/guards/image.test.ts',
  'test/guards/types.test.ts',
  'test/http/slow-clients.test.ts',
  'test/log-output.test.ts',
  'test/outbound/baseline-wasm.test.ts',
  'test/processors/iso8583/codec.test.ts',
  'test/processors/iso8583/line.test.ts',
  'test/processors/stripe/counterparts.test.ts',
  'test/sandbox/simulator/bank.test.ts',
  'test/sandbox/simulator/faults.test.ts',
  'test/setup/interrupt.test.ts',
  'test/setup/new-processor.test.ts',
  'test/setup/release.test.ts',
  'test/setup/second-run.test.ts',
  'test/setup/supervisor.test.ts',
  'test/simulation/planted-bugs.test.ts',
  'test/simulation/simulation.test.ts',
  'test/threeds-providers/suite-emv3ds.test.ts',
  'test/threeds-providers/suite-sandbox.test.ts',
  'test/wallets/wallet-b.test.ts',
  'test/wire/machinery-statuses.test.ts',
  'test/wire/schema-fields.test.ts',
  'test/workers/token-thread.test.ts',
];

/** Declarations start at the beginning of a line. `import type` does not exist when the suite runs. */
const DECLARED = /^(?:import|export)\s+(?!type\b)(?:[\w$\s{},*]*?\bfrom\s*)?'(\.{1,2}\/[^']+)'/gm;
const LOADED = /\bimport\(\s*'(\.{1,2}\/[^']+)'\s*\)/g;

/**
 * Returns the files of `test/` that a file of `test/` imports. Product code cannot import from there (.dependency-cruiser.cjs).
 * @param {string} root
 * @param {string} path
 * @returns {string[]}
 */
function importsOf(root, path) {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(DECLARED), ...text.matchAll(LOADED)]
    .map(([, imported = '']) => join(dirname(path), imported).replace(/\.js$/, '.ts'))
    .filter((file) => file.startsWith('test/') && existsSync(join(root, file)));
}

/**
 * @param {string} root of the project
 * @param {{ long?: readonly string[] }} [options]
 * @returns {{ unit: string[], integration: string[] }} paths of all suites
 */
export function suitesOf(root, { long = longSuites } = {}) {
  /** @type {Map<string, string[]>} */
  const read = new Map();
  const importsFrom = (/** @type {string} */ path) => {
    const known = read.get(path) ?? importsOf(root, path);
    read.set(path, known);
    return known;
  };
  const needsServer = (/** @type {string} */ suite) => {
    const reached = new Set([suite]);
    // The loop also visits the entries that it adds.
    for (const path of reached) for (const imported of importsFrom(path)) reached.add(imported);
    return serverSetUp.some((path) => reached.has(path));
  };
  const suites = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .sort();
  const isUnit = (/** @type {string} */ path) => !long.includes(path) && !needsServer(path);
  return { unit: suites.filter(isUnit), integration: suites.filter((path) => !isUnit(path)) };
}
