/** Fields that hold tagged parts: tag, length, value. */
import type { Placed, Profile } from '../profile/profile.js';

export type Extras = Readonly<Partial<Record<Placed, string>>>;

/** What the profile has no place for. */
export const placeless = (extras: Extras, { places }: Profile): Placed[] =>
  (Object.keys(extras) as Placed[]).filter((what) => places[what] === undefined);

/** The fields that carry these values; tags in ascending order. Values without a place are left out. */
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
