/** Makes a release: version, dated CHANGELOG, the API to compare later releases with, SBOM, one commit and its tag. Pushes nothing. */
import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { npm } from '../setup/packages.mjs';
import { Problem } from '../setup/problem.mjs';
import { lastOutputLines, runCommand } from '../setup/run-command.mjs';
import { datedChangelog, nextVersion } from './plan-release.mjs';

const BRANCH = 'main';
const SBOM = 'docs/releases/sbom.json';
/** The version that the programs show. */
const VERSION = 'config/version.ts';
const FILES = ['package.json', 'package-lock.json', VERSION, 'CHANGELOG.md', 'docs/releases/openapi.json', SBOM];
const LAST_WORDS_LINES = 6;
const DAY_CHARS = 10;

/**
 * @typedef {object} Release
 * @property {string} root of the repository
 * @property {string | undefined} wanted `major`, `minor`, `patch` or a version
 * @property {boolean} dryRun
 * @property {Date} now
 * @property {() => Promise<boolean>} isGreen `npm run check`
 * @property {(line: string) => void} print
 */

/** @param {string} root @param {readonly string[]} args @returns {Promise<string>} what git says @throws {Problem} */
async function git(root, ...args) {
  const result = await runCommand('git', ['-C', root, ...args]);
  if (result.code !== 0) throw new Problem(`\`git ${args[0]}\` failed: ${lastOutputLines(result, LAST_WORDS_LINES)}`);
  return result.stdout.trim();
}

/** @param {string} root @throws {Problem} naming everything that prevents a release */
async function requireReady(root) {
  const branch = await git(root, 'branch', '--show-current');
  const changes = await git(root, 'status', '--porcelain');
  const problems = [
    ...(branch === BRANCH
      ? []
      : [`This is ${branch ? `the branch ${branch}` : 'no branch'}: releases are made on ${BRANCH}.`]),
    ...(changes === '' ? [] : [`There are changes that are not committed:\n${changes}`]),
  ];
  if (problems.length > 0) throw new Problem(problems.join('\n'));
}

/** @param {string} root @throws {Problem} when a check that formats or generates changed files: the release would lack the changes */
async function requireNothingUnstaged(root) {
  const changed = await git(root, 'diff', '--name-only');
  const added = await git(root, 'ls-files', '--others', '--exclude-standard');
  const files = [changed, added].filter((list) => list !== '').join('\n');
  if (files !== '') throw new Problem(`\`npm run check\` changed files, so they are not committed:\n${files}`);
}

/** @param {string} file @param {(content: any) => void} change */
function editJson(file, change) {
  const content = JSON.parse(readFileSync(file, 'utf8'));
  change(content);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
}

/** Lists the packages that run in production, from the lock file: the same on every machine. @param {string} root */
async function makeSbom(root) {
  const [command, args] = npm();
  const sbom = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=cyclonedx'];
  const result = await runCommand(command, [...args, ...sbom], { cwd: root });
  if (result.code !== 0) throw new Problem(`npm sbom failed: ${lastOutputLines(result, LAST_WORDS_LINES)}`);
  return `${JSON.stringify(JSON.parse(result.stdout), null, 2)}\n`;
}

/** @param {string} root @param {string} version @param {string} changelog */
async function writeReleaseFiles(root, version, changelog) {
  editJson(join(root, 'package.json'), (own) => {
    own.version = version;
  });
  editJson(join(root, 'package-lock.json'), (lock) => {
    lock.version = version;
    lock.packages[''].version = version;
  });
  const shown = join(root, VERSION);
  writeFileSync(shown, readFileSync(shown, 'utf8').replace(/'[\d.]+'/, `'${version}'`));
  writeFileSync(join(root, 'CHANGELOG.md'), changelog);
  copyFileSync(join(root, 'api/openapi.json'), join(root, 'docs/releases/openapi.json'));
  writeFileSync(join(root, SBOM), await makeSbom(root));
}

/** Loses no other change, because the tree was clean. @param {string} root @param {{ head: string, hadSbom: boolean }} before */
async function undo(root, { head, hadSbom }) {
  const tracked = FILES.filter((file) => hadSbom || file !== SBOM);
  await git(root, 'reset', '--quiet', '--soft', head);
  await git(root, 'reset', '--quiet', '--', ...FILES);
  await git(root, 'checkout', '--quiet', '--', ...tracked);
  if (!hadSbom) rmSync(join(root, SBOM), { force: true });
}

/**
 * @param {Release} release
 * @returns {Promise<string>} the version
 * @throws {Problem} saying why there is no release; the tree is then unchanged
 */
export async function makeRelease({ root, wanted, dryRun, now, isGreen, print }) {
  await requireReady(root);
  const { version: current } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tags = (await git(root, 'tag', '--list')).split('\n');
  const version = nextVersion({ current, wanted, tags });
  const text = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const { changelog, notes } = datedChangelog(text, version, now.toISOString().slice(0, DAY_CHARS));
  const before = { head: await git(root, 'rev-parse', 'HEAD'), hadSbom: existsSync(join(root, SBOM)) };
  try {
    await writeReleaseFiles(root, version, changelog);
    await git(root, 'add', '--', ...FILES);
    // After the files are written: what is checked is what is released.
    if (!(await isGreen())) throw new Problem('`npm run check` is not green: no release.');
    await requireNothingUnstaged(root);
    if (dryRun) {
      await undo(root, before);
      const lines = notes.split('\n').length;
      print(
        `Would release ${version} with ${lines} lines of notes: ${FILES.join(', ')}, a commit, the tag v${version}.`,
      );
      return version;
    }
    await git(root, 'commit', '--quiet', '--message', `chore(release): ${version}`);
    // Headings of the notes begin with `#`, which git would take for comments.
    await git(root, 'tag', '--annotate', `v${version}`, '--cleanup=whitespace', '--message', `${version}\n\n${notes}`);
  } catch (error) {
    await undo(root, before);
    throw error;
  }
  print(`Released ${version}: look at it with \`git show v${version}\`, then \`git push --follow-tags\`.`);
  return version;
}
