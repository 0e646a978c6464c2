/** Open objects that an integrator keeps with something: texts, and JSON below them. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };
export type JsonMetadata = Readonly<Record<string, JsonValue>>;

/** As text, for who takes texts only. */
export const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
