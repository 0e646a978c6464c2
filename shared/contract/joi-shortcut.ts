/**
 * A shorter way for what is plainly valid. For each field of a schema, sent or not, Joi makes a state, a set of functions and a list
 * of errors: a payment request has a hundred fields and fills sixty of them. What this cannot see at once to be valid is left to Joi,
 * an error above all, so that every message, code and conversion is Joi's (test/contract/joi-shortcut.test.ts compares the two).
 */
import type { AnySchema } from 'joi';

/** A rule of Joi's strings. */
interface Rule {
  readonly name: string;
  readonly args?: {
    readonly limit?: unknown;
    readonly encoding?: unknown;
    readonly regex?: RegExp;
    readonly options?: { readonly invert?: boolean };
  };
}

/** What is looked at of a schema beside its type. */
interface Internals {
  readonly type: string;
  readonly _flags: Readonly<Record<string, unknown>>;
  readonly _rules: readonly Rule[];
  readonly _valids: { readonly length: number; has(value: unknown): boolean; values(): unknown[] } | null;
  readonly _invalids: object | null;
  readonly _preferences: object | null;
  readonly $_terms: Readonly<Record<string, unknown>> & { readonly keys?: readonly Child[] | null };
  $_validate: Validate;
}

interface Child {
  readonly key: string;
  readonly schema: Internals;
}

interface State {
  readonly path: readonly PropertyKey[];
  readonly ancestors: readonly unknown[];
  localize(path: readonly PropertyKey[], ancestors: readonly unknown[], schema: unknown): State;
}

interface Preferences {
  readonly presence?: string;
  readonly convert?: boolean;
  readonly debug?: boolean;
  readonly context?: Readonly<Record<PropertyKey, unknown>>;
}

interface Result {
  readonly value: unknown;
  readonly errors: unknown;
}
type Validate = (this: Internals, value: unknown, state: State, preferences: Preferences) => Result;

/** In the context of a validation: nothing takes the shorter way. */
export const WITHOUT_SHORTCUT = Symbol('without shortcut');

/** Returned by {@link Accept} for what Joi has to look at. */
const UNSURE = Symbol('unsure');
/** The value as Joi would return it. */
type Accept = (value: unknown) => unknown;

/** How values of one schema may be accepted. */
interface Plan {
  readonly mayBeAbsent: boolean;
  /** Of a single value. */
  readonly accept: Accept | undefined;
  /** Of an object without rules of its own. */
  readonly members: readonly Member[] | undefined;
}

interface Member {
  readonly child: Child;
  readonly plan: Plan;
}

/** They change nothing about a value that is given, and is not null. */
const PLAIN_FLAGS: ReadonlySet<string> = new Set(['presence', 'orNull', 'min', 'max', 'description', 'unit', 'label']);
/** And these, nothing about one that is not given. */
const ABSENT_FLAGS: ReadonlySet<string> = new Set([...PLAIN_FLAGS, 'only', 'empty']);
const PRESENCES: ReadonlySet<unknown> = new Set([undefined, 'optional', 'required']);

/** Nothing of it depends on other values, and nothing replaces the value. */
const hasOnly = ({ $_terms, _flags, _preferences }: Internals, flags: ReadonlySet<string>): boolean =>
  !$_terms['whens'] &&
  !$_terms['externals'] &&
  _preferences === null &&
  PRESENCES.has(_flags['presence']) &&
  Object.keys(_flags).every((name) => flags.has(name));

/** It is what its type and its rules say; `null` may be allowed. */
const isPlain = (schema: Internals): boolean =>
  hasOnly(schema, PLAIN_FLAGS) &&
  schema._invalids === null &&
  (schema._valids === null || (schema._valids.length === 1 && schema._valids.has(null)));

function checkOf({ name, args }: Rule): ((text: string) => boolean) | undefined {
  const { limit, encoding, regex, options } = args ?? {};
  if (name === 'pattern' && regex && !regex.global && !options?.invert) return (text) => regex.test(text);
  // A reference to another field is no number.
  if (typeof limit !== 'number' || encoding !== undefined) return undefined;
  if (name === 'max') return (text) => text.length <= limit;
  if (name === 'min') return (text) => text.length >= limit;
  return name === 'length' ? (text) => text.length === limit : undefined;
}

function acceptText(schema: Internals): Accept | undefined {
  const checks = schema._rules.flatMap((rule) => checkOf(rule) ?? []);
  // One of its rules cannot be judged here.
  if (checks.length < schema._rules.length) return undefined;
  return (value) =>
    typeof value === 'string' && value !== '' && checks.every((check) => check(value)) ? value : UNSURE;
}

/** One of a list of texts. */
function acceptListed({ _valids, _rules }: Internals): Accept | undefined {
  if (_rules.length > 0) return undefined;
  const texts = new Set<unknown>(_valids?.values().filter((value) => typeof value === 'string'));
  return (value) => (texts.has(value) ? value : UNSURE);
}

/** For each type of ours, what a schema of it accepts as it stands. */
export type PlainValues = Readonly<Record<string, (schema: AnySchema) => (value: unknown) => boolean>>;

function acceptOf(schema: Internals, types: PlainValues): Accept | undefined {
  const { type, _flags, _rules } = schema;
  if (type === 'string' && _flags['only'] && !_flags['empty'] && hasOnly(schema, ABSENT_FLAGS))
    return acceptListed(schema);
  if (!isPlain(schema)) return undefined;
  if (type === 'string') return acceptText(schema);
  const accepts = _rules.length === 0 && types[type]?.(schema as unknown as AnySchema);
  return accepts ? (value) => (accepts(value) ? value : UNSURE) : undefined;
}

const OWN_LOOK = ['renames', 'dependencies', 'patterns'] as const;

/** Accepts an object whose members are plainly valid; those that are not are given to Joi one by one. */
function acceptMembers(members: readonly Member[], value: unknown, state: State, preferences: Preferences) {
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return undefined;
  const given = value as Readonly<Record<string, unknown>>;
  const result: Record<string, unknown> = { ...given };
  let ancestors: readonly unknown[] | undefined;
  let known = 0;
  for (const { child, plan } of members) {
    const { key, schema } = child;
    const member = given[key];
    if (member === undefined) {
      if (!plan.mayBeAbsent) return undefined;
      continue;
    }
    known += 1;
    const accepted = plan.accept ? plan.accept(member) : UNSURE;
    if (accepted !== UNSURE) continue;
    ancestors ??= [value, ...state.ancestors];
    const found = schema.$_validate(member, state.localize([...state.path, key], ancestors, child), preferences);
    if (found.errors || found.value === undefined) return undefined;
    result[key] = found.value;
  }
  // One that is not known, or is there without a value, is Joi's to judge.
  return known === Object.keys(given).length ? { value: result, errors: null } : undefined;
}

const ABSENT: Result = Object.freeze({ value: undefined, errors: null });

function accept(plan: Plan, value: unknown, state: State, preferences: Preferences): Result | undefined {
  if (value === undefined) return plan.mayBeAbsent ? ABSENT : undefined;
  if (plan.members) return acceptMembers(plan.members, value, state, preferences);
  const accepted = plan.accept ? plan.accept(value) : UNSURE;
  return accepted === UNSURE ? undefined : { value: accepted, errors: null };
}

const isUsual = ({ presence, convert, debug, context }: Preferences): boolean =>
  presence === 'optional' && convert === true && !debug && !context?.[WITHOUT_SHORTCUT];

/**
 * Adds the shorter way to schemas of these types.
 * @param types one schema of each type
 * @param values of the types that are ours
 */
export function addShortcut(types: readonly AnySchema[], values: PlainValues): void {
  const plans = new WeakMap<Internals, Plan>();

  function membersOf(schema: Internals): Plan['members'] {
    const { keys } = schema.$_terms;
    const looksItself = schema._rules.length > 0 || OWN_LOOK.some((term) => schema.$_terms[term]);
    if (schema.type !== 'object' || !keys || looksItself || !isPlain(schema)) return undefined;
    return keys.map((child) => ({ child, plan: planOf(child.schema) }));
  }

  function planOf(schema: Internals): Plan {
    const known = plans.get(schema);
    if (known) return known;
    const plan = {
      mayBeAbsent: schema._flags['presence'] !== 'required' && hasOnly(schema, ABSENT_FLAGS),
      accept: acceptOf(schema, values),
      members: membersOf(schema),
    };
    plans.set(schema, plan);
    return plan;
  }

  for (const type of types) {
    const prototype = Object.getPrototypeOf(type) as Pick<Internals, '$_validate'>;
    const validate = prototype.$_validate;
    prototype.$_validate = function (value, state, preferences) {
      const result = isUsual(preferences) ? accept(planOf(this), value, state, preferences) : undefined;
      return result ?? validate.call(this, value, state, preferences);
    };
  }
}
