/** Fields that hold tagged parts: tag, length, value. */
import { type Place, type Placed, type Profile, type TaggedField, withoutPlace } from '../profile/profile.js';

export type Extras = Readonly<Partial<Record<Placed, string>>>;

type Places = Pick<Profile, 'places' | 'tagged'>;

/** Returns the place of a value; `undefined` when the profile has none, or when the length of the tag has too few digits for the value. */
function placeOf(what: Placed, value: string, { places, tagged }: Places): Place | undefined {
  const place = places[what];
  if (place?.tag === undefined) return place;
  return value.length < 10 ** (tagged[place.field]?.lengthDigits ?? 0) ? place : undefined;
}

/** Returns the values that must not be left out and for which the profile has no place. */
export const valuesWithoutPlace = (extras: Extras, profile: Places): Placed[] =>
  (Object.entries(extras) as [Placed, string][])
    .filter(([what, value]) => withoutPlace[what] === 'refuse' && !placeOf(what, value, profile))
    .map(([what]) => what);

/** Builds the fields that carry these values, with tags in ascending order. Values without a place are left out. */
export function fieldsOf(extras: Extras, profile: Places): Record<number, string> {
  const fields: Record<number, string> = {};
  const parts: { field: number; tag: string; value: string }[] = [];
  for (const [what, value] of Object.entries(extras) as [Placed, string][]) {
    const place = placeOf(what, value, profile);
    if (!place) continue;
    if (place.tag === undefined) fields[place.field] = value;
    else parts.push({ field: place.field, tag: place.tag, value });
  }
  parts.sort((a, b) => a.tag.localeCompare(b.tag));
  for (const { field, tag, value } of parts) {
    const digits = profile.tagged[field]?.lengthDigits ?? 0;
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
