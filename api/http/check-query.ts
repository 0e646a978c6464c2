import type { RequestHandler } from 'express';
import type { Schema } from 'joi';
import { limits } from '../../config/limits.js';
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';

const safeName = (name: string) =>
  /^[\w.-]+$/.test(name) && !/\d{12}/.test(name) ? name.slice(0, limits.fieldNameLengthMax) : 'query';

/** The parser writes it for bytes that are not UTF-8. */
const REPLACEMENT = '\ufffd';

/** Returns what is wrong with a parameter. @param isRead whether the endpoint reads it: what it does not read is ignored */
function problemOf(name: string, value: unknown, isRead: boolean): string | undefined {
  if (typeof value !== 'string') return 'must be given once';
  if (/[[\]]/.test(name)) return 'brackets are not allowed in a parameter name';
  return isRead && value.includes(REPLACEMENT) ? 'must be UTF-8, percent-encoded' : undefined;
}

const namesIn = (schema: Schema | undefined): ReadonlySet<string> =>
  new Set(Object.keys((schema?.describe() as { keys?: object } | undefined)?.keys ?? {}));

/**
 * Refuses a query parameter that is repeated or uses brackets, one that the endpoint reads and that is not UTF-8, and more parameters than
 * are read. Which of two values counts differs from one program to the next, and brackets are a way to smuggle operators into objects
 * (docs/security.md#no-operators, docs/security.md#ambiguous-json).
 * @param schema of the query that the endpoint reads
 */
export function checkQuery(schema: Schema | undefined): RequestHandler {
  const names = namesIn(schema);
  return (request, _response, next) => {
    if (!request.url.includes('?')) return next();
    if (request.url.split('&').length > limits.queryParametersMax) {
      throw invalidField('query', `must have at most ${limits.queryParametersMax} parameters`);
    }
    const parsed = request.query;
    const params: Record<string, string[]> = {};
    for (const [name, value] of Object.entries(parsed)) {
      const problem = problemOf(name, value, names.has(name));
      if (problem !== undefined) params[safeName(name)] = [problem];
    }
    if (Object.keys(params).length > 0) throw new GatewayError('request-validation-errors', { params });
    // Express parses the query again on each access; from here on it is a plain value.
    Object.defineProperty(request, 'query', { value: parsed, configurable: true, writable: true, enumerable: true });
    next();
  };
}
