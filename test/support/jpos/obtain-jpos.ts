/**
 * Fetches jPOS, for the tests of the processor `iso8583`, from Maven Central when it is first needed, into a cache outside the
 * repository. Because of its licence (AGPL) it is nowhere in the repository and in no image.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const VERSION = '2.1.10';
const JAVA_MIN = 17;
const FETCHED_MS = 240_000;

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'payment-gateway', `jpos-${VERSION}`);

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>test</groupId><artifactId>acquirer</artifactId><version>1</version>
<dependencies><dependency><groupId>org.jpos</groupId><artifactId>jpos</artifactId><version>${VERSION}</version></dependency></dependencies>
</project>`;

function javaProblem(): string | undefined {
  const { stdout, error } = spawnSync('java', ['--version'], { encoding: 'utf8' });
  const version = Number(/ (\d+)/.exec(stdout ?? '')?.[1] ?? 0);
  return error || version < JAVA_MIN ? `Java ${JAVA_MIN} or later is not here` : undefined;
}

/** Fetches into a temporary folder first: a run that is stopped leaves no incomplete cache. */
function fetchJars(): string | undefined {
  const folder = `${cache}-${process.pid}`;
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, 'pom.xml'), pom);
    const args = ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${folder}`];
    const { status, error } = spawnSync('mvn', args, { cwd: folder, timeout: FETCHED_MS, stdio: 'ignore' });
    if (error) return 'Maven is not here';
    if (status !== 0) return 'Maven could not fetch jPOS';
    if (!existsSync(cache)) renameSync(folder, cache);
    return undefined;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Returns the class path of jPOS, or why there is none. */
export function obtainJpos(): { readonly classPath: string } | { readonly problem: string } {
  const problem = javaProblem() ?? (existsSync(cache) ? undefined : fetchJars());
  if (problem !== undefined) return { problem };
  const jars = readdirSync(cache).filter((name) => name.endsWith('.jar'));
  return { classPath: jars.map((name) => join(cache, name)).join(':') };
}
