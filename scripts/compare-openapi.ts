/**
 * Compares the API with that of the last release: within `/v1` there are only additions (docs/decisions.md, "compatibility").
 * A request may not become stricter, and an answer may not lose what it had. Pure.
 */

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
}

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> };
  readonly responses?: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, { readonly schema?: Schema }>> }>
  >;
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components?: { readonly schemas?: Readonly<Record<string, Schema>> };
}

/** Deeper than any body of the API: a schema that refers to itself ends here. */
const DEPTH_MAX = 12;

const resolve = (document: OpenApi, schema: Schema | undefined): Schema => {
  const name = schema?.$ref?.split('/').at(-1);
  return (name === undefined ? schema : document.components?.schemas?.[name]) ?? {};
};

type Side = 'request' | 'response';

class Comparison {
  readonly breaks: string[] = [];
  constructor(
    readonly before: OpenApi,
    readonly after: OpenApi,
  ) {}

  schema(side: Side, where: string, old: Schema | undefined, now: Schema | undefined, depth = 0): void {
    if (depth > DEPTH_MAX) return;
    const [was, is] = [resolve(this.before, old), resolve(this.after, now)];
    this.values(side, where, was, is);
    this.required(side, where, was, is);
    for (const [name, property] of Object.entries(was.properties ?? {})) {
      const field = `${where}.${name}`;
      if (is.properties?.[name] === undefined) this.breaks.push(`${field} is gone`);
      else this.schema(side, field, property, is.properties[name], depth + 1);
    }
    for (const kind of ['anyOf', 'oneOf', 'allOf'] as const) {
      for (const [index, part] of (was[kind] ?? []).entries()) {
        this.schema(side, where, part, is[kind]?.[index], depth + 1);
      }
    }
    if (was.items) this.schema(side, `${where}[]`, was.items, is.items, depth + 1);
  }

  private values(side: Side, where: string, was: Schema, is: Schema): void {
    if (!was.enum || !is.enum) return;
    // A request must still take every value it took. An answer may have new values only where readers expect them.
    const lost = was.enum.filter((value) => !is.enum?.includes(value));
    if (side === 'request' && lost.length > 0) this.breaks.push(`${where} no longer takes ${lost.join(', ')}`);
  }

  private required(side: Side, where: string, was: Schema, is: Schema): void {
    const [before, after] = [new Set(was.required), new Set(is.required)];
    if (side === 'request') {
      for (const name of after) if (!before.has(name)) this.breaks.push(`${where}.${name} became required`);
    } else {
      for (const name of before) if (!after.has(name)) this.breaks.push(`${where}.${name} may be absent now`);
    }
  }

  operation(where: string, old: Operation, now: Operation): void {
    for (const parameter of now.parameters ?? []) {
      const known = old.parameters?.find((one) => one.name === parameter.name && one.in === parameter.in);
      if (parameter.required && !known?.required)
        this.breaks.push(`${where} parameter ${parameter.name} became required`);
    }
    for (const [type, { schema }] of Object.entries(old.requestBody?.content ?? {})) {
      this.schema('request', `${where} body`, schema, now.requestBody?.content?.[type]?.schema);
    }
    for (const [status, response] of Object.entries(old.responses ?? {})) {
      const answer = now.responses?.[status];
      if (answer === undefined) {
        if (status.startsWith('2')) this.breaks.push(`${where} no longer answers ${status}`);
        continue;
      }
      for (const [type, { schema }] of Object.entries(response.content ?? {})) {
        this.schema('response', `${where} ${status}`, schema, answer.content?.[type]?.schema);
      }
    }
  }
}

/** Finds what breaks a caller of `before` that meets `after`, one sentence each. Empty when nothing does. */
export function findBreaks(before: OpenApi, after: OpenApi): string[] {
  const comparison = new Comparison(before, after);
  for (const [path, operations] of Object.entries(before.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      const where = `${method.toUpperCase()} ${path}`;
      const now = after.paths[path]?.[method];
      if (now === undefined) comparison.breaks.push(`${where} is gone`);
      else comparison.operation(where, operation, now);
    }
  }
  return comparison.breaks;
}
