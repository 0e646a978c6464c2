/** Decides which version comes next, and reads what CHANGELOG.md says of it. Pure. */
import { Problem } from '../setup/problem.mjs';

const VERSION = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/;
const UNRELEASED = '## Unreleased';
const PARTS = ['major', 'minor', 'patch'];

/** @param {string} version @returns {[number, number, number]} */
function partsOf(version) {
  const found = VERSION.exec(version);
  if (!found) throw new Problem(`${version} is not a version such as 0.2.0.`);
  return [Number(found[1]), Number(found[2]), Number(found[3])];
}

/** @param {string} version @param {string} other */
function isLater(version, other) {
  const [a, b] = [partsOf(version), partsOf(other)];
  const at = a.findIndex((part, index) => part !== b[index]);
  return at !== -1 && Number(a[at]) > Number(b[at]);
}

/**
 * @param {object} given
 * @param {string} given.current version of package.json
 * @param {string | undefined} given.wanted `major`, `minor`, `patch` or a version
 * @param {readonly string[]} given.tags
 * @returns {string}
 * @throws {Problem} when the version is not a valid step, or is released already
 */
export function nextVersion({ current, wanted, tags }) {
  if (!wanted)
    throw new Problem(`Which version? The current one is ${current}: \`npm run release -- minor\`, or say it in full.`);
  const part = PARTS.indexOf(wanted);
  const parts = partsOf(current);
  const next =
    part === -1 ? wanted : parts.map((value, at) => (at < part ? value : at === part ? value + 1 : 0)).join('.');
  partsOf(next);
  if (tags.includes(`v${next}`)) throw new Problem(`${next} is released already: the tag v${next} exists.`);
  // The version in package.json may be unreleased: then it is the version under development.
  if (next !== current && !isLater(next, current)) throw new Problem(`${next} is not later than ${current}.`);
  return next;
}

/**
 * Gives the unreleased section the version and the day, below a new empty section.
 * @param {string} changelog
 * @param {string} version
 * @param {string} day YYYY-MM-DD
 * @returns {{ changelog: string, notes: string }} `notes`: the text of the section
 * @throws {Problem} when there is nothing to release
 */
export function datedChangelog(changelog, version, day) {
  const lines = changelog.split('\n');
  const start = lines.indexOf(UNRELEASED);
  if (start === -1) throw new Problem(`CHANGELOG.md has no section "${UNRELEASED}".`);
  const after = lines.findIndex((line, at) => at > start && line.startsWith('## '));
  const end = after === -1 ? lines.length : after;
  const notes = lines
    .slice(start + 1, end)
    .join('\n')
    .trim();
  if (!/^[-*] /m.test(notes))
    throw new Problem('CHANGELOG.md says nothing below "Unreleased": there is nothing to release.');
  const section = [UNRELEASED, '', `## ${version} - ${day}`, '', notes, ''];
  return { changelog: [...lines.slice(0, start), ...section, ...lines.slice(end)].join('\n'), notes };
}
