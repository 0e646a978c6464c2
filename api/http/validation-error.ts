/** Translates Joi's findings to the error that is answered (docs/decisions.md, "Errors"). */

import type { Schema, ValidationErrorItem } from 'joi';
import { limits } from '../../config/limits.js';
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { BLANK_RULE } from '../../shared/contract/joi-types.js';

type Path = readonly (string | number)[];
/** Finds the code that a schema gives to a field. */
export type ErrorCodeOf = (path: Path) => ErrorCode | undefined;

/** A field name is the caller's text: a name that could contain a card number or break a log line is not repeated. */
const UNSAFE_NAME = /[\p{Cc}\p{Cs}\u2028\u2029]|\d(?:[ -]?\d){11}/u;

function safeName(name: string | number): string {
  const shown = String(name);
  if (UNSAFE_NAME.test(shown)) return '(unprintable)';
  return shown.length > limits.fieldNameLengthMax ? `${shown.slice(0, limits.fieldNameLengthMax)}…` : shown;
}

/** Returns the key of `params`: `paymentMethod.card.number`, `items.0.name`; the segment itself when all of it is wrong. */
function fieldName(path: Path, segment: string): string {
  return path.length === 0 ? segment : path.map(safeName).join('.');
}

/** Returns Joi's text with the field's name as `params` spells it; Joi's own label repeats the caller's text unchanged. */
function messageOf(detail: ValidationErrorItem, name: string): string {
  const label = detail.context?.label;
  const message = label ? detail.message.replace(`"${label}"`, () => `"${name}"`) : detail.message;
  return message;
}

/** Whether the field was left out in one of the three ways: absent, null or blank. */
function isMissing(detail: ValidationErrorItem): boolean {
  if (detail.type === 'any.required' || detail.type === 'string.empty' || detail.context?.value === null) return true;
  return detail.type === 'string.pattern.name' && detail.context?.['name'] === BLANK_RULE;
}

/** The field that a finding is about: a repeated value is an error of its list, not of the value. */
const subjectOf = ({ type, path }: ValidationErrorItem): Path => (type === 'array.unique' ? path.slice(0, -1) : path);

/**
 * Builds the error for these findings: with the field's own code when exactly one field fails and is not merely missing, else
 * `request-validation-errors`. `params` contains names and texts only, never a value.
 * @param segment name of the whole (`body`, `query`), for a finding that is not about a single field.
 */
export function validationError(
  details: readonly ValidationErrorItem[],
  codeOf: ErrorCodeOf = () => undefined,
  segment = 'body',
): GatewayError {
  const fields = new Map<string, Set<string>>();
  for (const detail of details) {
    const name = fieldName(detail.path, segment);
    if (!fields.has(name) && fields.size >= limits.fieldsNamedMax) continue;
    fields.set(name, (fields.get(name) ?? new Set()).add(messageOf(detail, name)));
  }
  // Object.fromEntries defines properties, so a field called __proto__ becomes a plain key of the answer.
  const params = Object.fromEntries([...fields].map(([name, messages]) => [name, [...messages]]));
  const [first] = details;
  const own =
    first && fields.size === 1 && !details.some(isMissing)
      ? ((first.context?.['errorCode'] as ErrorCode | undefined) ?? codeOf(subjectOf(first)))
      : undefined;
  return new GatewayError(own ?? 'request-validation-errors', { params });
}

interface Node {
  readonly metas?: readonly Record<string, unknown>[];
  readonly keys?: Record<string, Node>;
  readonly items?: readonly Node[];
  // Only the parts of `describe()` that are walked here.
  readonly whens?: readonly { then?: Node; otherwise?: Node; switch?: readonly { then?: Node; otherwise?: Node }[] }[];
  readonly matches?: readonly { schema?: Node; then?: Node; otherwise?: Node }[];
}

const present = (nodes: readonly (Node | undefined)[]): Node[] => nodes.filter((node) => node !== undefined);

/** Returns the node and everything that it may turn into: branches of `when` and of alternatives. */
function variants(node: Node): Node[] {
  const branches = (node.whens ?? []).flatMap((when) => [when, ...(when.switch ?? [])]);
  const next = present([
    ...branches.flatMap((branch) => [branch.then, branch.otherwise]),
    ...(node.matches ?? []).flatMap((match) => [match.schema, match.then, match.otherwise]),
  ]);
  return [node, ...next.flatMap(variants)];
}

function childrenOf(nodes: readonly Node[], key: string | number): Node[] {
  return nodes.flatMap((node) => (typeof key === 'number' ? (node.items ?? []) : present([node.keys?.[key]])));
}

const codeOfNodes = (nodes: readonly Node[]): ErrorCode | undefined =>
  nodes
    .flatMap((node) => node.metas ?? [])
    .map((meta) => meta['errorCode'] as ErrorCode | undefined)
    .findLast((code) => code !== undefined);

/** Finds the codes that `withErrorCode` gave to the fields of `schema`; the nearest ancestor decides. */
export function errorCodesOf(schema: Schema): ErrorCodeOf {
  let root: Node | undefined;
  return (path) => {
    root ??= schema.describe() as Node;
    let nodes = variants(root);
    let code = codeOfNodes(nodes);
    for (const key of path) {
      nodes = childrenOf(nodes, key).flatMap(variants);
      code = codeOfNodes(nodes) ?? code;
    }
    return code;
  };
}

/** Returns all codes that `withErrorCode` gave to anything in `schema`: they belong to the documentation of its endpoint. */
export function errorCodesIn(schema: Schema): ErrorCode[] {
  const found = new Set<ErrorCode>();
  JSON.stringify(schema.describe(), (key, value: unknown) => {
    if (key === 'errorCode' && typeof value === 'string') found.add(value as ErrorCode);
    return value;
  });
  return [...found];
}
