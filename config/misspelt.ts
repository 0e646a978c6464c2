/** Finds environment variables whose names are almost those of settings. No process reads them, and the setting keeps its default. */
import { type Setting, settings } from './schema.js';

/** A shorter name resembles too many words. */
const NAME_LENGTH_MIN = 6;
/** From this length on, a name two edits away is a misspelt setting; a shorter one is as often the name of another program. */
const TWO_EDITS_LENGTH_MIN = 12;
const mostEdits = (length: number) => (length < TWO_EDITS_LENGTH_MIN ? 1 : 2);

/** Returns how many letters have to be added, removed, changed or swapped with their neighbour to turn `a` into `b`. */
function editsBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + cost,
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}

const namesOf = ({ env, secret }: Setting): readonly string[] => (secret ? [env, `${env}_FILE`] : [env]);

/**
 * Returns a sentence for each variable that is no setting but resembles one: one edit away, or two for a long name, or with `_FILE` behind a
 * setting that is no secret, since only secrets are read from files. Platforms and other programs have their own variables, so a name is
 * ignored when the setting that it resembles is set.
 * @returns names only, never a value
 */
export function misspeltSettings(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const all = Object.values<Setting>(settings).map(namesOf);
  const known = new Set(all.flat());
  const unset = all.filter((names) => !names.some((name) => env[name])).flat();
  return Object.entries(env).flatMap(([name, value]) => {
    const unmarked = name.replace(/^\uFEFF/, '');
    if (value && unmarked !== name && unset.includes(unmarked)) {
      return [`${unmarked} is not read: its file begins with a byte order mark, which became a part of its name`];
    }
    if (!value || known.has(name) || name.length < NAME_LENGTH_MIN) return [];
    const asFile = name.replace(/_FILE$/, '');
    if (asFile !== name && asFile.length >= NAME_LENGTH_MIN && unset.includes(asFile)) {
      return [`${name} is not a setting, and only secrets are read from files; is ${asFile} meant?`];
    }
    const near = unset
      .filter((setting) => Math.abs(setting.length - name.length) <= mostEdits(setting.length))
      .map((setting) => ({ setting, edits: editsBetween(name.toUpperCase(), setting) }))
      .filter(({ setting, edits }) => edits <= mostEdits(Math.min(setting.length, name.length)))
      .sort((one, other) => one.edits - other.edits);
    return near[0] ? [`${name} is not a setting; is ${near[0].setting} meant?`] : [];
  });
}
