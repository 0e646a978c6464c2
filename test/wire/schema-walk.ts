/** Walks a Joi schema through what `describe()` says of it, so that the tests of the wire are derived and not listed. */
import type { Schema } from 'joi';
import { BLANK_RULE } from '../../shared/contract/joi-types.js';

export type Path = readonly (string | number)[];

interface Node {
  readonly type?: string;
  readonly flags?: { presence?: string; result?: string; only?: boolean; empty?: unknown; min?: number; max?: number };
  readonly allow?: readonly unknown[];
  readonly rules?: readonly { name: string; args?: { limit?: unknown; options?: { name?: string } } }[];
  readonly metas?: readonly { component?: string; errorCode?: string }[];
  readonly keys?: Readonly<Record<string, Node>>;
  readonly items?: readonly Node[];
}

/** What a test has to know of one field. */
export interface Field {
  readonly path: Path;
  /** The path as `params` spells it. */
  readonly name: string;
  /** Joi's name of the type: string, int32, decimalText, dateTime, metadata, object, array, any. */
  readonly type: string;
  readonly required: boolean;
  readonly nullable: boolean;
  /** The only values it takes; undefined when it is not an enumeration. */
  readonly values: readonly unknown[] | undefined;
  readonly lengthMax: number | undefined;
  /** Whether blank text counts as missing. */
  readonly refusesBlank: boolean;
  /** No rules beside those that every text has. */
  readonly plain: boolean;
  readonly min: number | undefined;
  readonly max: number | undefined;
}

const TEXT_RULES: ReadonlySet<string> = new Set(['max', 'pattern']);

function toField(path: Path, node: Node): Field {
  const rules = node.rules ?? [];
  const allowed = node.allow ?? [];
  const refusesBlank = rules.some((rule) => rule.args?.options?.name === BLANK_RULE);
  const limit = rules.find((rule) => rule.name === 'max')?.args?.limit;
  return {
    path,
    name: path.join('.'),
    type: node.type ?? 'any',
    required: node.flags?.presence === 'required',
    nullable: allowed.includes(null),
    values: node.flags?.only ? allowed.filter((value) => value !== null) : undefined,
    lengthMax: typeof limit === 'number' ? limit : undefined,
    refusesBlank,
    plain: refusesBlank && rules.every((rule) => TEXT_RULES.has(rule.name)),
    min: node.flags?.min,
    max: node.flags?.max,
  };
}

/** A read-only field that is taken whatever it is and dropped: there is nothing to refuse. */
const isIgnored = ({ type, flags }: Node) => type === 'any' && flags?.result === 'strip';

/** Names of the fields at the top of a body that are taken and dropped. */
export function ignoredFieldsOf(schema: Schema): string[] {
  const { keys = {} } = schema.describe() as Node;
  return Object.entries(keys).flatMap(([name, node]) => (isIgnored(node) ? [name] : []));
}

function walk(node: Node, path: Path): Field[] {
  const below = [
    ...Object.entries(node.keys ?? {}).map(([key, child]) => [key, child] as const),
    ...(node.items ?? []).map((child) => [0, child] as const),
  ];
  const read = below.filter(([, child]) => !isIgnored(child));
  return [toField(path, node), ...read.flatMap(([key, child]) => walk(child, [...path, key]))];
}

/** All fields of a body, the body itself first. An element of an array is at index 0. */
export const fieldsOf = (schema: Schema): Field[] => walk(schema.describe() as Node, []);

type Tree = Record<string | number, unknown>;

/** The value at `path`, or undefined. */
export function valueAt(body: unknown, path: Path): unknown {
  let value = body;
  for (const key of path) value = (value as Tree | undefined)?.[key];
  return value;
}

/** A copy of `body` with another value at `path`; `undefined` takes the field away. */
export function withValue(body: unknown, path: Path, value: unknown): unknown {
  const copy = structuredClone(body);
  const last = path.at(-1);
  if (last === undefined) return value;
  const parent = valueAt(copy, path.slice(0, -1)) as Tree;
  if (value === undefined) delete parent[last];
  else parent[last] = value;
  return copy;
}
