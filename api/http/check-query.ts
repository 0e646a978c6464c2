import type { RequestHandler } from 'express';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';

const safeName = (name: string) =>
  /^[\w.-]+$/.test(name) && !/\d{12}/.test(name) ? name.slice(0, limits.fieldNameLengthMax) : 'query';

/**
 * Refuses a query parameter that is repeated or uses brackets. Which of two values counts differs from one program to the next, and
 * brackets are a way to smuggle operators into objects (docs/security.md#no-operators, docs/security.md#ambiguous-json).
 */
export const checkQuery: RequestHandler = (request, _response, next) => {
  if (!request.url.includes('?')) return next();
  const parsed = request.query;
  const params: Record<string, string[]> = {};
  for (const [name, value] of Object.entries(parsed)) {
    if (typeof value !== 'string') params[safeName(name)] = ['must be given once'];
    else if (/[[\]]/.test(name)) params[safeName(name)] = ['brackets are not allowed in a parameter name'];
  }
  if (Object.keys(params).length > 0) throw new GatewayError('request-validation-errors', { params });
  // Express parses the query again on each access; from here on it is a plain value.
  Object.defineProperty(request, 'query', { value: parsed, configurable: true, writable: true, enumerable: true });
  next();
};
