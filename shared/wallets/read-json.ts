/** Reads JSON of others, of which nothing is known before. */

/** The members of an object, unchecked. */
export type Fields = Readonly<Record<string, unknown>>;

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the JSON object in a text, or undefined for any other text. */
export function readObject(text: string): Fields | undefined {
  const value = parse(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;
}

/** Returns the items of the JSON array in a text; none for any other text. */
export function readItems(text: string): readonly unknown[] {
  const value = parse(text);
  return Array.isArray(value) ? value : [];
}

/** Whether a member is a text that is not empty. */
export const isText = (value: unknown): value is string => typeof value === 'string' && value.length > 0;

/** Whether the object has exactly these members. */
export function hasExactly(value: Fields, names: readonly string[]): boolean {
  return Object.keys(value).length === names.length && names.every((name) => Object.hasOwn(value, name));
}
