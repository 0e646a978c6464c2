/** The rule for commit messages: a conventional subject of at most 72 characters, a blank line, then why. */

const SUBJECT_CHARS_MAX = 72;
const TYPES = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'revert', 'style', 'test'];
const CONVENTIONAL = new RegExp(`^(${TYPES.join('|')})(\\([a-z0-9]+(-[a-z0-9]+)*\\))?!?: \\S`);
/** Subjects that git writes by itself. */
const BY_GIT = /^(Merge |Revert "|Reapply ")/;
/** Commits that `git rebase --autosquash` merges into another one: fine on the way, not in the history of `main`. */
const TO_SQUASH = /^(fixup|squash|amend)! /;
/** `git commit --verbose` shows the change below this line. */
const SCISSORS = /^# -+ >8 -+$/;

/**
 * @param {string} subject
 * @param {{ final?: boolean }} [options] `final`: the commit is about to be merged, so it must not be one that is to be squashed
 * @returns {string | undefined} what is wrong
 */
export function subjectProblem(subject, { final = false } = {}) {
  if (BY_GIT.test(subject)) return undefined;
  if (TO_SQUASH.test(subject)) return final ? 'is still to be squashed: `git rebase --autosquash`' : undefined;
  if (!CONVENTIONAL.test(subject))
    return `is not \`type(scope): what it does\` with one of the types ${TYPES.join(', ')}`;
  const { length } = [...subject];
  if (length > SUBJECT_CHARS_MAX)
    return `has ${length} characters: at most ${SUBJECT_CHARS_MAX}, the rest is for the body`;
  return subject.endsWith('.') ? 'ends in a full stop' : undefined;
}

/**
 * @param {string} message as git hands it to the hook, comments included
 * @returns {string | undefined} what is wrong
 */
export function messageProblem(message) {
  const lines = message.split(/\r?\n/);
  const end = lines.findIndex((line) => SCISSORS.test(line));
  const written = lines.slice(0, end === -1 ? undefined : end).filter((line) => !line.startsWith('#'));
  const first = written.findIndex((line) => line.trim() !== '');
  // Git itself refuses an empty message.
  if (first === -1) return undefined;
  const problem = subjectProblem((written[first] ?? '').trimEnd());
  if (problem) return problem;
  return (written[first + 1] ?? '').trim() === '' ? undefined : 'is followed by a line that is not blank';
}
