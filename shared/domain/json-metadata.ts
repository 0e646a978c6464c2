/** Open objects that an integrator stores with an object: texts, or nested JSON. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonMetadata = Readonly<Record<string, JsonValue>>;

/** Returns a value as text, for a receiver that accepts only texts. */
export const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
