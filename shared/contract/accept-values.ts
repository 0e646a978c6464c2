/** Checks that accept a value without Joi: texts, numbers, lists, objects, and our own rules (joi-shortcut.ts). */
import type { CustomHelpers } from 'joi';

/** Returned by {@link Accept} when Joi has to judge the value. */
export const UNSURE = Symbol('unsure');
/**
 * Returns the value as Joi would return it, or {@link UNSURE}.
 * @param around the object that contains the value; the members before it in the schema are converted already
 */
export type Accept = (value: unknown, around: object) => unknown;

export const unsure: Accept = () => UNSURE;

/** A rule of a schema, as Joi keeps it. */
export interface Rule {
  readonly name: string;
  /** Whether a value that breaks the rule gets a warning instead of an error. */
  readonly warn?: boolean;
  readonly args?: {
    readonly limit?: unknown;
    readonly encoding?: unknown;
    readonly sign?: unknown;
    readonly regex?: RegExp;
    readonly options?: { readonly invert?: boolean };
    readonly method?: (value: unknown, helpers: CustomHelpers) => unknown;
  };
}

/** Replaces the helpers of Joi for our own rules. When a rule refuses the value, Joi runs the rule again and makes the message. */
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

const byMethod =
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

const where =
  <T>(check: (value: T) => boolean): Accept =>
  (value) =>
    check(value as T) ? value : UNSURE;

type Sized = string | readonly unknown[];

/** Builds the check of a rule for texts or lists; undefined when only Joi can judge the rule. */
export function ruleOf({ name, warn, args = {} }: Rule): Accept | undefined {
  const { limit, encoding, regex, options, method } = args;
  if (warn) return undefined;
  if (name === 'custom' && method) return byMethod(method);
  if (name === 'pattern' && regex && !regex.global && !options?.invert)
    return where<string>((text) => regex.test(text));
  // A limit may also be a reference to another field.
  if (typeof limit !== 'number' || encoding !== undefined) return undefined;
  if (name === 'max') return where<Sized>(({ length }) => length <= limit);
  if (name === 'min') return where<Sized>(({ length }) => length >= limit);
  return name === 'length' ? where<Sized>(({ length }) => length === limit) : undefined;
}

/** Builds the check of a rule for numbers; undefined when only Joi can judge the rule. */
export function numberRuleOf({ name, warn, args = {} }: Rule): Accept | undefined {
  const { limit, sign } = args;
  if (warn) return undefined;
  if (name === 'integer') return where(Number.isSafeInteger);
  if (name === 'sign' && sign === 'positive') return where<number>((value) => value > 0);
  if (typeof limit !== 'number') return undefined;
  if (name === 'min') return where<number>((value) => value >= limit);
  return name === 'max' ? where<number>((value) => value <= limit) : undefined;
}

/** Runs the steps in order; each gets what the step before it returned. */
export const inTurn =
  (steps: readonly Accept[]): Accept =>
  (value, around) => {
    let accepted = value;
    for (const step of steps) {
      accepted = step(accepted, around);
      if (accepted === UNSURE) return UNSURE;
    }
    return accepted;
  };

export const acceptText = where((value) => typeof value === 'string' && value !== '');

const isSafe = (value: unknown) => typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/** Accepts safe numbers except -0: Joi judges the others, and turns -0 into 0. */
export const acceptNumber = where((value) => isSafe(value) && !Object.is(value, -0));

/** Accepts these values. Joi judges 0 and values that are neither texts nor safe numbers. */
export function acceptListed(values: readonly unknown[]): Accept {
  const known = new Set(values.filter((value) => typeof value === 'string' || (isSafe(value) && value !== 0)));
  return where((value) => known.has(value));
}

/** A member of an object. */
export interface Member {
  readonly key: string;
  readonly mayBeAbsent: boolean;
  /** Whether null is read as absent. */
  readonly mayBeNull: boolean;
  readonly accept: Accept;
}

/** @returns undefined for a member that is absent, or null and read as absent */
function acceptMember({ mayBeAbsent, mayBeNull, accept }: Member, value: unknown, around: object): unknown {
  if (value === undefined) return mayBeAbsent ? undefined : UNSURE;
  if (value === null && mayBeNull) return undefined;
  return accept(value, around);
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype;

/** Replaces members that are accepted as another value. Returns how many known members are there, or -1 when one is unsure. */
function replaceMembers(result: Record<string, unknown>, members: readonly Member[]): number {
  let known = 0;
  for (const member of members) {
    const { key } = member;
    const value = result[key];
    const accepted = acceptMember(member, value, result);
    if (accepted === UNSURE) return -1;
    if (value === undefined) continue;
    known += 1;
    if (accepted === undefined) delete result[key];
    else if (!Object.is(accepted, value)) result[key] = accepted;
  }
  return known;
}

/** Accepts an object. Unless `allowUnknown`, Joi judges an object that has an unknown member or a member that is undefined. */
export const acceptMembers =
  (members: readonly Member[], allowUnknown: boolean): Accept =>
  (given) => {
    // JSON may have a member of this name. How an object is copied decides whether the member is lost or kept.
    if (!isRecord(given) || Object.hasOwn(given, '__proto__')) return UNSURE;
    const result = { ...given };
    const known = replaceMembers(result, members);
    const fits = allowUnknown ? known >= 0 : known === Object.keys(given).length;
    return fits ? result : UNSURE;
  };

export const acceptItems =
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
