/**
 * A shorter way for what is valid. For each field of a schema, sent or not, Joi makes a state, a set of functions and a list of errors:
 * a payment request has a hundred fields and fills sixty of them. Here a schema becomes a function that accepts a value, or is unsure;
 * then Joi judges the whole value, so that every message and code is Joi's, and what a schema means is written once
 * (test/contract/joi-shortcut.test.ts compares the two).
 */
import type { AnySchema, AsyncValidationOptions, CustomHelpers, ValidationOptions, ValidationResult } from 'joi';

/** Returned by {@link Accept} for what Joi has to judge. */
export const UNSURE = Symbol('unsure');
/**
 * The value as Joi would return it, or {@link UNSURE}.
 * @param around the object that it is a member of; members above it in the schema are converted
 */
export type Accept = (value: unknown, around: object) => unknown;
/** How values of a type of ours are accepted. */
export type AcceptByType = Readonly<Record<string, (schema: AnySchema) => (value: unknown) => unknown>>;

interface Rule {
  readonly name: string;
  /** What it finds wrong is no error. */
  readonly warn?: boolean;
  readonly args?: {
    readonly limit?: unknown;
    readonly encoding?: unknown;
    readonly regex?: RegExp;
    readonly options?: { readonly invert?: boolean };
    readonly method?: (value: unknown, helpers: CustomHelpers) => unknown;
  };
}

/** What is read of a schema beside its type; Joi documents `describe()` only, which leaves out functions and patterns. */
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

interface Member {
  readonly key: string;
  readonly mayBeAbsent: boolean;
  /** null means that it is absent. */
  readonly mayBeNull: boolean;
  readonly accept: Accept;
}

/** They change nothing about a value that is given. */
const PLAIN_FLAGS: ReadonlySet<string> = new Set(['presence', 'orNull', 'min', 'max', 'description', 'unit', 'label']);
/** And these, nothing about one that is not given. */
const ABSENT_FLAGS: ReadonlySet<string> = new Set([...PLAIN_FLAGS, 'only', 'empty']);

/** It depends on nothing else, and is not replaced. */
const hasOnly = ({ $_terms, _flags }: Internals, flags: ReadonlySet<string>): boolean =>
  !$_terms['whens'] && !$_terms['externals'] && Object.keys(_flags).every((name) => flags.has(name));

const mayBeAbsent = (schema: Internals): boolean =>
  hasOnly(schema, ABSENT_FLAGS) &&
  schema._flags['presence'] !== 'required' &&
  schema._preferences?.presence === undefined;

/** A value is what its type and its rules say; null may mean that there is none. */
const isPlain = (schema: Internals): boolean =>
  hasOnly(schema, PLAIN_FLAGS) &&
  schema._flags['presence'] !== 'forbidden' &&
  schema._preferences === null &&
  schema._invalids === null &&
  (schema._valids === null || (schema._valids.length === 1 && schema._valids.has(null)));

const UNSURE_ALWAYS: Accept = () => UNSURE;

/** What Joi gives to a rule of ours. Where the rule finds something wrong, Joi asks it again and takes its words. */
class Helpers {
  refused = false;
  readonly state: { readonly ancestors: readonly object[] };

  constructor(
    readonly original: unknown,
    around: object,
  ) {
    this.state = { ancestors: [around] };
  }

  readonly error = () => {
    this.refused = true;
    return [];
  };
  readonly errorsArray = this.error;
  readonly message = this.error;
  readonly warn = this.error;
}

const acceptByRule =
  (method: NonNullable<NonNullable<Rule['args']>['method']>): Accept =>
  (value, around) => {
    const helpers = new Helpers(value, around);
    try {
      const accepted = method(value, helpers as unknown as CustomHelpers);
      return helpers.refused ? UNSURE : accepted;
    } catch {
      return UNSURE;
    }
  };

const checked =
  (check: (value: string | unknown[]) => boolean): Accept =>
  (value) =>
    check(value as string | unknown[]) ? value : UNSURE;

function ruleOf({ name, warn, args = {} }: Rule): Accept | undefined {
  const { limit, encoding, regex, options, method } = args;
  if (warn) return undefined;
  if (name === 'custom' && method) return acceptByRule(method);
  if (name === 'pattern' && regex && !regex.global && !options?.invert)
    return checked((text) => regex.test(text as string));
  // A limit may be another field.
  if (typeof limit !== 'number' || encoding !== undefined) return undefined;
  if (name === 'max') return checked(({ length }) => length <= limit);
  if (name === 'min') return checked(({ length }) => length >= limit);
  return name === 'length' ? checked(({ length }) => length === limit) : undefined;
}

/** One after the other; each gets what the one before returned. */
const inTurn =
  (steps: readonly Accept[]): Accept =>
  (value, around) => {
    let accepted = value;
    for (const step of steps) {
      accepted = step(accepted, around);
      if (accepted === UNSURE) return UNSURE;
    }
    return accepted;
  };

const acceptText: Accept = (value) => (typeof value === 'string' && value !== '' ? value : UNSURE);

/** One of a list of texts. */
function acceptListed({ _valids }: Internals): Accept {
  const texts = new Set<unknown>(_valids?.values().filter((value) => typeof value === 'string'));
  return (value) => (texts.has(value) ? value : UNSURE);
}

/** @returns undefined for a member that is as good as absent */
function acceptMember({ mayBeAbsent, mayBeNull, accept }: Member, value: unknown, around: object): unknown {
  if (value === undefined) return mayBeAbsent ? undefined : UNSURE;
  if (value === null && mayBeNull) return undefined;
  return accept(value, around);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;

const acceptMembers =
  (members: readonly Member[]): Accept =>
  (given) => {
    if (!isRecord(given)) return UNSURE;
    const result: Record<string, unknown> = { ...given };
    let known = 0;
    for (const member of members) {
      const { key } = member;
      const value = given[key];
      const accepted = acceptMember(member, value, result);
      if (accepted === UNSURE) return UNSURE;
      if (value === undefined) continue;
      known += 1;
      if (accepted === undefined) delete result[key];
      else if (!Object.is(accepted, value)) result[key] = accepted;
    }
    // One that is not known, or is there without a value, is Joi's to judge.
    return known === Object.keys(given).length ? result : UNSURE;
  };

const acceptItems =
  (item: Accept): Accept =>
  (value) => {
    if (!Array.isArray(value)) return UNSURE;
    const result: unknown[] = [];
    for (const one of value) {
      const accepted = item(one, value);
      if (accepted === UNSURE || accepted === undefined) return UNSURE;
      result.push(accepted);
    }
    return result;
  };

const OWN_LOOK = ['renames', 'dependencies', 'patterns', 'ordered', '_exclusions', '_requireds'] as const;
const looksItself = ({ $_terms }: Internals): boolean =>
  OWN_LOOK.some((name) => {
    const term = $_terms[name];
    return Array.isArray(term) ? term.length > 0 : Boolean(term);
  });

type Validate = (this: unknown, value: unknown, options?: ValidationOptions) => ValidationResult;
type ValidateAsync = (this: unknown, value: unknown, options?: AsyncValidationOptions) => Promise<unknown>;

/** Makes the functions, each once. Exposed for tests. */
export class Compiler {
  readonly #known = new WeakMap<Internals, Accept>();

  constructor(
    private readonly types: AcceptByType,
    private readonly validate: Validate,
  ) {}

  acceptOf(schema: Internals): Accept {
    const known = this.#known.get(schema);
    if (known) return known;
    const accept = this.#plainly(schema) ?? this.#byJoi(schema);
    this.#known.set(schema, accept);
    return accept;
  }

  #plainly(schema: Internals): Accept | undefined {
    const { type, _flags, _rules } = schema;
    if (type === 'string' && _flags['only']) return this.#listed(schema);
    const base = isPlain(schema) ? this.#baseOf(schema) : undefined;
    const rules = _rules.filter(({ name }) => name !== 'items').flatMap((rule) => ruleOf(rule) ?? []);
    // One of its rules cannot be judged here.
    const all = rules.length === _rules.filter(({ name }) => name !== 'items').length;
    return base && all ? inTurn([base, ...rules]) : undefined;
  }

  #listed(schema: Internals): Accept | undefined {
    const { _flags, _rules, _preferences } = schema;
    const plain = hasOnly(schema, ABSENT_FLAGS) && !_flags['empty'] && _flags['presence'] !== 'forbidden';
    return plain && _rules.length === 0 && _preferences === null ? acceptListed(schema) : undefined;
  }

  #baseOf(schema: Internals): Accept | undefined {
    const { type, $_terms } = schema;
    if (type === 'string') return acceptText;
    if (type === 'object' && $_terms.keys && !looksItself(schema)) return acceptMembers(this.#membersOf($_terms.keys));
    const [item] = $_terms.items ?? [];
    if (type === 'array' && item && !looksItself(schema)) return acceptItems(this.acceptOf(item));
    return this.types[type]?.(schema as unknown as AnySchema);
  }

  #membersOf(keys: NonNullable<Internals['$_terms']['keys']>): Member[] {
    return keys.map(({ key, schema }) => {
      const absent = mayBeAbsent(schema);
      const absentAsNull = absent && schema._flags['orNull'] === true && schema._preferences === null;
      return { key, mayBeAbsent: absent, mayBeNull: absentAsNull, accept: this.acceptOf(schema) };
    });
  }

  /** A value that Joi can judge without what is around it. */
  #byJoi(schema: Internals): Accept {
    const { _refs, _rules } = schema;
    const looksAround = _refs.refs.length > 0 || _rules.some(({ name }) => name === 'custom');
    if (looksAround) return UNSURE_ALWAYS;
    return (value) => {
      const { error, value: accepted } = this.validate.call(schema, value);
      return error ? UNSURE : accepted;
    };
  }
}

/** Options that say only what is done with errors and warnings; celebrate asks for warnings. */
const USUAL: ReadonlySet<string> = new Set<keyof AsyncValidationOptions>(['abortEarly', 'warnings']);
const isUsual = (options: ValidationOptions = {}) => Object.keys(options).every((name) => USUAL.has(name));

/**
 * Adds the shorter way to the validation of schemas of these types.
 * @param roots one schema of each type
 */
export function addShortcut(roots: readonly [AnySchema, ...AnySchema[]], types: AcceptByType): void {
  const { validate, validateAsync } = roots[0] as unknown as { validate: Validate; validateAsync: ValidateAsync };
  const compiler = new Compiler(types, validate);
  const accept = (schema: unknown, value: unknown, options?: ValidationOptions) =>
    isUsual(options) ? compiler.acceptOf(schema as Internals)(value, {}) : UNSURE;
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
