import { celebrate, isCelebrateError, Modes } from 'celebrate';
import type { RequestHandler } from 'express';
import type { Schema, ValidationError } from 'joi';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { validationOptions } from '../../shared/contract/joi.js';
import { defined } from '../../shared/domain/defined.js';
import type { Endpoint } from './define-endpoint.js';
import { type ErrorCodeOf, errorCodesOf, validationError } from './validation-error.js';

type Segment = 'params' | 'query' | 'body';

/** The answer to findings in one or more segments; findings in two segments are two fields, so no code of a field's own. */
function toError(found: ReadonlyMap<string, ValidationError>, codes: ReadonlyMap<string, ErrorCodeOf>): GatewayError {
  const errors = [...found].map(([segment, error]) => validationError(error.details, codes.get(segment), segment));
  const [first] = errors;
  if (first && errors.length === 1) return first;
  return new GatewayError('request-validation-errors', {
    params: Object.assign({}, ...errors.map((error) => error.params)),
  });
}

/**
 * One celebrate call for all segments of an endpoint (two on `query` fail on Express 5), made once at start.
 * @returns undefined when the endpoint takes nothing.
 */
export function validateRequest(endpoint: Endpoint): RequestHandler | undefined {
  const { params, query, body } = endpoint.request ?? {};
  const rules: Partial<Record<Segment, Schema>> = {
    ...defined({ params, query }),
    ...(body && { body: body.required() }),
  };
  if (Object.keys(rules).length === 0) return undefined;
  const codes = new Map(Object.entries(rules).map(([segment, schema]) => [segment, errorCodesOf(schema)]));
  // All segments are validated, whichever fails. With one there is nothing to collect, and FULL would make an error object,
  // stack and all, for every request that is fine.
  const mode = codes.size > 1 ? Modes.FULL : Modes.PARTIAL;
  const validate = celebrate(rules, validationOptions, { mode });
  return (request, response, next) =>
    validate(request, response, (error?: unknown) =>
      error && isCelebrateError(error) ? next(toError(error.details, codes)) : next(error),
    );
}
