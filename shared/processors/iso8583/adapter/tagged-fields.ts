/** Fields that hold tagged parts: tag, length, value. */
import { type Placed, type Profile, type TaggedField, withoutPlace } from '../profile/profile.js';

export type Extras = Readonly<Partial<Record<Placed, string>>>;

/** Returns the values that must not be left out and for which the profile has no place. */
export const valuesWithoutPlace = (extras: Extras, { places }: Profile): Placed[] =>
  (Object.keys(extras) as Placed[]).filter((what) => withoutPlace[what] === 'refuse' && places[what] === undefined);

/** Builds the fields that carry these values, with tags in ascending order. Values without a place are left out. */
export function fieldsOf(extras: Extras, { places, tagged }: Profile): Record<number, string> {
  const fields: Record<number, string> = {};
  const parts: { field: number; tag: string; value: string }[] = [];
  for (const [what, value] of Object.entries(extras) as [Placed, string][]) {
    const place = places[what];
    if (!place) continue;
    if (place.tag === undefined) fields[place.field] = value;
    else parts.push({ field: place.field, tag: place.tag, value });
  }
  parts.sort((a, b) => a.tag.localeCompare(b.tag));
  for (const { field, tag, value } of parts) {
    const digits = tagged[field]?.lengthDigits ?? 2;
    fields[field] = `${fields[field] ?? ''}${tag}${String(value.length).padStart(digits, '0')}${value}`;
  }
  return fields;
}

/** Returns the parts of a tagged field by tag; none when it does not consist of complete parts, because its meaning is then not known. */
export function partsOf(value: string, { tagLength, lengthDigits }: TaggedField): ReadonlyMap<string, string> {
  const parts = new Map<string, string>();
  for (let at = 0; at < value.length; ) {
    const begins = at + tagLength + lengthDigits;
    const digits = value.slice(at + tagLength, begins);
    const ends = begins + Number(digits);
    if (!/^\d+$/.test(digits) || digits.length !== lengthDigits || ends > value.length) return new Map();
    parts.set(value.slice(at, at + tagLength), value.slice(begins, ends));
    at = ends;
  }
  return parts;
}
