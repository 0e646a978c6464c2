/**
 * Adyen's own library, an independent reference for names, types and signatures. It is fetched from npm when it is first needed, into
 * a cache outside the repository. Nothing of it is installed, and the product uses nothing of it.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The last release for version 71 of the API. */
const VERSION = '31.0.0';
const SHA512 = 'PrFl71p6Q9HNmAg7JVWnaSLgguvGM9P+LXmLsJcpWT9er3Q7wA+7ThgjDKQA9ptD5gtWkiopcbRV2bDSYLHTVA==';
const FETCHED_MS = 120_000;

const caches = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'payment-gateway');
const cache = join(caches, `adyen-api-library-${VERSION}`);

function unpack(folder: string): string | undefined {
  const packed = spawnSync('npm', ['pack', `@adyen/api-library@${VERSION}`, '--silent', '--pack-destination', folder], {
    cwd: folder,
    timeout: FETCHED_MS,
    stdio: 'ignore',
  });
  const file = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (packed.status !== 0 || file === undefined) return 'npm could not fetch it';
  const path = join(folder, file);
  if (createHash('sha512').update(readFileSync(path)).digest('base64') !== SHA512) return 'npm gave another file';
  return spawnSync('tar', ['-xzf', path, '-C', folder]).status === 0 ? undefined : 'it could not be unpacked';
}

/** Fetches into a temporary folder first: a run that is stopped leaves no incomplete cache. */
function fetchLibrary(): string | undefined {
  mkdirSync(caches, { recursive: true });
  const folder = mkdtempSync(`${cache}-`);
  try {
    const problem = unpack(folder);
    if (problem === undefined && !existsSync(cache)) renameSync(join(folder, 'package'), cache);
    return problem;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Loads a module of the library by its path in `lib/src`. */
export type Library = (path: string) => Record<string, unknown>;

/** Returns the library, or why there is none. */
function obtainLibrary(): { readonly library: Library } | { readonly problem: string } {
  const problem = existsSync(cache) ? undefined : fetchLibrary();
  if (problem !== undefined) return { problem };
  const load = createRequire(join(cache, 'package.json'));
  return { library: (path) => load(join(cache, 'lib', 'src', path)) as Record<string, unknown> };
}

/** Declares a suite that needs the library. Without the library one skipped test says why. */
export function describeWithLibrary(name: string, body: (library: Library) => void): void {
  const obtained = obtainLibrary();
  if ('library' in obtained) describe(name, () => body(obtained.library));
  else describe(name, () => it.skip(`needs @adyen/api-library: ${obtained.problem}`, () => undefined));
}
