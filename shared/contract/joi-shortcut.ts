/**
 * A fast path for valid values. For each field of a schema, sent or not, Joi makes a state, a set of functions and a list of errors:
 * a payment request has a hundred fields and fills sixty of them. Here a schema is compiled to a function that accepts a value or is
 * unsure. When the function is unsure, Joi judges the whole value. So every message and code is Joi's, and the meaning of a schema is
 * written once (test/contract/joi-shortcut.test.ts compares the two).
 */
import type { AnySchema, AsyncValidationOptions, ValidationOptions, ValidationResult } from 'joi';
import {
  type Accept,
  acceptItems,
  acceptListed,
  acceptMembers,
  acceptNumber,
  acceptText,
  inTurn,
  type Member,
  numberRuleOf,
  type Rule,
  ruleOf,
  UNSURE,
  unsure,
} from './accept-values.js';

/** How values of our own types are accepted, by type. */
export type AcceptByType = Readonly<Record<string, (schema: AnySchema) => (value: unknown) => unknown>>;

/** The internals of a Joi schema that are read here. Joi documents only `describe()`, which leaves out functions and patterns. */
interface Internals {
  readonly type: string;
  readonly _flags: Readonly<Record<string, unknown>>;
  readonly _rules: readonly Rule[];
  readonly _valids: { readonly length: number; has(value: unknown): boolean; values(): unknown[] } | null;
  readonly _invalids: object | null;
  readonly _preferences: ValidationOptions | null;
  readonly _refs: { readonly refs: readonly unknown[] };
  readonly $_terms: Readonly<Record<string, unknown>> & {
    readonly keys?: readonly { readonly key: string; readonly schema: Internals }[] | null;
    readonly items?: readonly Internals[];
  };
}

/** Flags that change nothing for a value that is given. */
const PLAIN_FLAGS: ReadonlySet<string> = new Set(['presence', 'orNull', 'min', 'max', 'description', 'unit', 'label']);
/** Flags that change nothing for a value that is absent. */
const ABSENT_FLAGS: ReadonlySet<string> = new Set([...PLAIN_FLAGS, 'only', 'empty']);

/** Whether the schema depends on no other field, has no external rules, and sets only these flags. */
const hasOnly = ({ $_terms, _flags }: Internals, flags: ReadonlySet<string>): boolean =>
  !$_terms['whens'] && !$_terms['externals'] && Object.keys(_flags).every((name) => flags.has(name));

const mayBeAbsent = (schema: Internals): boolean =>
  hasOnly(schema, ABSENT_FLAGS) &&
  schema._flags['presence'] !== 'required' &&
  schema._preferences?.presence === undefined;

/** Whether only the type and the rules of the schema judge a value. null may mean that there is no value. */
const isPlain = (schema: Internals): boolean =>
  hasOnly(schema, PLAIN_FLAGS) &&
  schema._flags['presence'] !== 'forbidden' &&
  schema._preferences === null &&
  schema._invalids === null &&
  (schema._valids === null || (schema._valids.length === 1 && schema._valids.has(null)));

const OWN_LOOK = ['renames', 'dependencies', 'patterns', 'ordered', '_exclusions', '_requireds'] as const;
const looksItself = ({ $_terms }: Internals): boolean =>
  OWN_LOOK.some((name) => {
    const term = $_terms[name];
    return Array.isArray(term) ? term.length > 0 : Boolean(term);
  });

type Validate = (this: unknown, value: unknown, options?: ValidationOptions) => ValidationResult;
type ValidateAsync = (this: unknown, value: unknown, options?: AsyncValidationOptions) => Promise<unknown>;

/** How values are validated. */
interface Manner {
  /** How each of our own types accepts and converts values. */
  readonly types: AcceptByType;
  /** Whether an explicit null is read as absent where the schema says `orNull`. */
  readonly nullIsAbsent: boolean;
  readonly allowUnknown: boolean;
  /** Validates by Joi itself. */
  validate(schema: Internals, value: unknown): ValidationResult;
}

/** Builds the function of each schema once. Exported for tests. */
export class Compiler {
  readonly #known = new WeakMap<Internals, Accept>();

  constructor(private readonly manner: Manner) {}

  acceptOf(schema: Internals): Accept {
    const known = this.#known.get(schema);
    if (known) return known;
    const accept = this.#plainly(schema) ?? this.#byJoi(schema);
    this.#known.set(schema, accept);
    return accept;
  }

  #plainly(schema: Internals): Accept | undefined {
    const { type, _flags, _rules } = schema;
    if ((type === 'string' || type === 'any') && _flags['only']) return this.#listed(schema);
    const base = isPlain(schema) ? this.#baseOf(schema) : undefined;
    const own = _rules.filter(({ name }) => name !== 'items');
    const rules = own.flatMap((rule) => (type === 'number' ? numberRuleOf(rule) : ruleOf(rule)) ?? []);
    // Fewer checks than rules: only Joi can judge one of the rules.
    return base && rules.length === own.length ? inTurn([base, ...rules]) : undefined;
  }

  #listed(schema: Internals): Accept | undefined {
    const { _flags, _rules, _preferences, _valids } = schema;
    const plain = hasOnly(schema, ABSENT_FLAGS) && !_flags['empty'] && _flags['presence'] !== 'forbidden';
    return plain && _rules.length === 0 && _preferences === null ? acceptListed(_valids?.values() ?? []) : undefined;
  }

  #baseOf(schema: Internals): Accept | undefined {
    const { type, $_terms } = schema;
    const { types, allowUnknown } = this.manner;
    if (type === 'string') return acceptText;
    if (type === 'number') return acceptNumber;
    if (type === 'object' && $_terms.keys && !looksItself(schema))
      return acceptMembers(this.#membersOf($_terms.keys), allowUnknown);
    const [item] = $_terms.items ?? [];
    if (type === 'array' && item && !looksItself(schema)) return acceptItems(this.acceptOf(item));
    return types[type]?.(schema as unknown as AnySchema);
  }

  #membersOf(keys: NonNullable<Internals['$_terms']['keys']>): Member[] {
    return keys.map(({ key, schema }) => {
      const absent = mayBeAbsent(schema);
      const reads = this.manner.nullIsAbsent && schema._flags['orNull'] === true && schema._preferences === null;
      return { key, mayBeAbsent: absent, mayBeNull: absent && reads, accept: this.acceptOf(schema) };
    });
  }

  /** Lets Joi judge the value alone, unless the schema refers to other fields or has a custom rule. */
  #byJoi(schema: Internals): Accept {
    const { _refs, _rules } = schema;
    const looksAround = _refs.refs.length > 0 || _rules.some(({ name }) => name === 'custom');
    if (looksAround) return unsure;
    return (value) => {
      const { error, value: accepted } = this.manner.validate(schema, value);
      return error ? UNSURE : accepted;
    };
  }
}

/** Options that the fast path supports. `abortEarly` and `warnings` concern only errors, which Joi makes; celebrate sets `warnings`. */
const USUAL: ReadonlySet<string> = new Set<keyof AsyncValidationOptions>([
  'abortEarly',
  'warnings',
  'convert',
  'allowUnknown',
]);
const isUsual = (options: ValidationOptions = {}) =>
  Object.keys(options).every((name) => USUAL.has(name)) && typeof (options.allowUnknown ?? true) === 'boolean';

/**
 * Adds the fast path to the validation of schemas of these types.
 * @param roots one schema of each type
 * @param types how our own types accept values when Joi converts; `strictTypes`: when it does not
 */
export function addShortcut(
  roots: readonly [AnySchema, ...AnySchema[]],
  { types, strictTypes }: { readonly types: AcceptByType; readonly strictTypes: AcceptByType },
): void {
  const { validate, validateAsync } = roots[0] as unknown as { validate: Validate; validateAsync: ValidateAsync };
  const compilers = new Map<string, Compiler>();
  const compilerFor = ({ convert = true, allowUnknown = false }: ValidationOptions = {}): Compiler => {
    const manner = `${convert} ${allowUnknown}`;
    const made =
      compilers.get(manner) ??
      new Compiler({
        types: convert ? types : strictTypes,
        nullIsAbsent: convert,
        allowUnknown: allowUnknown === true,
        validate: (schema, value) => validate.call(schema, value, { convert, allowUnknown }),
      });
    compilers.set(manner, made);
    return made;
  };
  const accept = (schema: unknown, value: unknown, options?: ValidationOptions) =>
    isUsual(options) ? compilerFor(options).acceptOf(schema as Internals)(value, {}) : UNSURE;
  const shorter: { validate: Validate; validateAsync: ValidateAsync } = {
    validate(value, options) {
      const accepted = accept(this, value, options);
      return accepted === UNSURE ? validate.call(this, value, options) : ({ value: accepted } as ValidationResult);
    },
    async validateAsync(value, options) {
      const accepted = accept(this, value, options);
      if (accepted === UNSURE) return validateAsync.call(this, value, options);
      return options?.warnings ? { value: accepted } : accepted;
    },
  };
  for (const root of roots) Object.assign(Object.getPrototypeOf(root), shorter);
}
