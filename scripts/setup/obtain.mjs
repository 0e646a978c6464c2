/**
 * Finds or obtains the programs (the servers, a browser for the tests): the program named by the environment, else one on PATH, else
 * the one that an earlier run obtained, else a download into `.local/`. Nothing is installed on the system.
 */
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { explain, isDiskFull, Problem, Stopped } from './problem.mjs';
import { lastOutputLines, runCommand } from './run-command.mjs';

const VERSION_TIMEOUT_MS = 60_000;

/**
 * A server program that was seen to run on this machine.
 * @typedef {object} ServerBinary
 * @property {string} binary
 * @property {string} version
 * @property {string} source where the program came from, for the person at the terminal
 * @property {Record<string, string>} env variables that it needs in its environment
 */

/**
 * One way to download a server.
 * @typedef {object} Route
 * @property {string} source
 * @property {(setup: Setup) => Promise<{ binary: string, env?: Record<string, string> }>} download throws {@link Problem}
 */

/**
 * A program to find or obtain.
 * @typedef {object} ServerKind
 * @property {string} name
 * @property {string} [uriVariable] variable that names a running server: when it is set, the program is not needed
 * @property {string} binVariable
 * @property {readonly string[]} programs names on PATH
 * @property {RegExp} version finds the version in what `--version` prints
 * @property {number} majorMin
 * @property {(binary: string) => Promise<void>} [prove] tries the program as it will be used; throws {@link Problem} when it fails
 * @property {readonly Route[]} routes
 */

/** @typedef {{ folder: string, signal?: AbortSignal | undefined, offline?: boolean }} Setup `folder`: where downloads are kept */

/** Thrown when a server can neither be found nor obtained. */
export class NotObtained extends Problem {
  /** @param {ServerKind} kind @param {string[]} tried */
  constructor(kind, tried) {
    const { name, programs, binVariable, uriVariable } = kind;
    const ways = uriVariable
      ? `name it by ${binVariable}, or name a running server by ${uriVariable}`
      : `or name it by ${binVariable}`;
    super(
      [
        `${name} could not be found or obtained. Install ${programs[0]} so that it is on PATH, ${ways}. What was tried:`,
        ...tried.map((line) => `  - ${line}`),
      ].join('\n'),
    );
  }
}

/** @param {readonly string[]} programs @returns {string | undefined} */
function onPath(programs) {
  for (const program of programs) {
    for (const folder of (process.env.PATH ?? '').split(delimiter)) {
      const path = join(folder || '.', program);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not in this folder.
      }
    }
  }
  return undefined;
}

/**
 * Runs the program once. A program that does not run here (other libraries, other processor) is not accepted.
 * @param {ServerKind} kind
 * @param {{ binary: string, source: string, env?: Record<string, string> | undefined }} candidate
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<ServerBinary>}
 */
async function verifyBinary(kind, { binary, source, env = {} }, signal) {
  const options = { env: { ...process.env, ...env }, timeoutMs: VERSION_TIMEOUT_MS, signal };
  const result = await runCommand(binary, ['--version'], options);
  const version = kind.version.exec(result.stdout)?.[1];
  if (result.code !== 0 || !version) throw new Problem(`${binary} does not run (${lastOutputLines(result)})`);
  if (Number.parseInt(version, 10) < kind.majorMin) {
    throw new Problem(`${binary} is version ${version}, and ${kind.majorMin} or newer is needed`);
  }
  await kind.prove?.(binary);
  return { binary, version, source, env };
}

/** @param {ServerKind} kind @param {Setup} setup */
const recordFile = (kind, setup) => join(setup.folder, `${kind.name.toLowerCase()}.json`);

/** @param {string} file @returns {{ binary: string, source: string, env?: Record<string, string> } | undefined} */
function readRecord(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Finds a program that is on this machine already, without any download.
 * @param {ServerKind} kind
 * @param {Setup} setup
 * @param {string[]} tried gets a line for each place that was searched without success
 * @returns {Promise<ServerBinary | undefined>}
 * @throws {Problem} when the program named by the environment does not run: no other one is what was asked for
 */
async function findInstalled(kind, setup, tried) {
  const named = process.env[kind.binVariable];
  if (named) {
    try {
      return await verifyBinary(kind, { binary: named, source: kind.binVariable }, setup.signal);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      throw new Problem(`${kind.binVariable} does not help: ${error.message}.`);
    }
  }
  const path = onPath(kind.programs);
  if (!path) tried.push(`${kind.programs.join(' or ')} is not on PATH`);
  for (const candidate of [path && { binary: path, source: 'PATH' }, readRecord(recordFile(kind, setup))]) {
    if (!candidate) continue;
    try {
      return await verifyBinary(kind, candidate, setup.signal);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      tried.push(error.message);
    }
  }
  return undefined;
}

/**
 * @param {ServerKind} kind
 * @param {Setup} given
 * @returns {Promise<ServerBinary>}
 * @throws {NotObtained} with everything that was tried
 */
export async function obtain(kind, given) {
  // Programs that download and unpack run in folders of their own, and a launcher is started from anywhere.
  const setup = { ...given, folder: resolve(given.folder) };
  /** @type {string[]} */
  const tried = [];
  const found = await findInstalled(kind, setup, tried);
  if (found) return found;
  if (setup.offline) throw new NotObtained(kind, [...tried, 'SETUP_OFFLINE=1, so nothing was downloaded']);
  for (const route of kind.routes) {
    try {
      const obtained = await verifyBinary(
        kind,
        { ...(await route.download(setup)), source: route.source },
        setup.signal,
      );
      mkdirSync(dirname(recordFile(kind, setup)), { recursive: true });
      writeFileSync(recordFile(kind, setup), JSON.stringify(obtained, null, 2));
      return obtained;
    } catch (error) {
      if (setup.signal?.aborted) throw new Stopped();
      // A full disk fails every route: one sentence about it says more than the list.
      if (isDiskFull(error)) throw error;
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      tried.push(
        `${route.source}: ${error instanceof Problem || !code ? firstLine(explain(error, setup.folder)) : code}`,
      );
    }
  }
  throw new NotObtained(kind, tried);
}

/** @param {string} text */
const firstLine = (text) => text.split('\n')[0] ?? '';
