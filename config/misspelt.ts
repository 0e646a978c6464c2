/** Names in the environment that are nearly a setting's. No process reads them, and the setting keeps its default. */
import { type Setting, settings } from './schema.js';

/** A shorter name is near to too many words. */
const NAME_LENGTH_MIN = 6;
/** From this length on two edits are one name misspelt; below, they are as often another program's name. */
const TWO_EDITS_LENGTH_MIN = 12;
const mostEdits = (length: number) => (length < TWO_EDITS_LENGTH_MIN ? 1 : 2);

/** How many letters have to be added, left out, changed or swapped with their neighbour to make `a` into `b`. */
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
 * A sentence for each variable that is no setting and nearly one: one edit away, two where the name is long. Platforms and other
 * programs have variables of their own, so a name is passed over where the setting that it resembles is set.
 * @returns names only, never a value
 */
export function misspeltSettings(env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const all = Object.values<Setting>(settings).map(namesOf);
  const known = new Set(all.flat());
  const unset = all.filter((names) => !names.some((name) => env[name])).flat();
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || known.has(name) || name.length < NAME_LENGTH_MIN) return [];
    const near = unset
      .filter((setting) => Math.abs(setting.length - name.length) <= mostEdits(setting.length))
      .map((setting) => ({ setting, edits: editsBetween(name.toUpperCase(), setting) }))
      .filter(({ setting, edits }) => edits <= mostEdits(Math.min(setting.length, name.length)))
      .sort((one, other) => one.edits - other.edits);
    return near[0] ? [`${name} is not a setting; is ${near[0].setting} meant?`] : [];
  });
}
