import { celebrate, isCelebrateError, Modes } from 'celebrate';
import type { RequestHandler } from 'express';
import type { Schema, ValidationError } from 'joi';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { validationOptions } from '../../shared/contract/joi.js';
import { defined } from '../../shared/domain/defined.js';
import type { Endpoint } from './define-endpoint.js';
import { type ErrorCodeOf, errorCodesOf, validationError } from './validation-error.js';

type Segment = 'params' | 'query' | 'body';

/**
 * Returns the error for findings in one or more segments. Findings in two segments are about two fields, so no field's own code is
 * used.
 */
function toError(found: ReadonlyMap<string, ValidationError>, codes: ReadonlyMap<string, ErrorCodeOf>): GatewayError {
  const errors = [...found].map(([segment, error]) => validationError(error.details, codes.get(segment), segment));
  const [first] = errors;
  if (first && errors.length === 1) return first;
  return new GatewayError('request-validation-errors', {
    params: Object.assign({}, ...errors.map((error) => error.params)),
  });
}

/**
 * Makes one celebrate call for all segments of an endpoint (two on `query` fail on Express 5), once at start.
 * @returns undefined when the endpoint has nothing to validate.
 */
export function validateRequest(endpoint: Endpoint): RequestHandler | undefined {
  const { params, query, body } = endpoint.request ?? {};
  const rules: Partial<Record<Segment, Schema>> = {
    ...defined({ params, query }),
    ...(body && { body: body.required() }),
  };
  if (Object.keys(rules).length === 0) return undefined;
  const codes = new Map(Object.entries(rules).map(([segment, schema]) => [segment, errorCodesOf(schema)]));
  // FULL validates all segments even when the first one fails. With one segment there is nothing to collect, and FULL would create an
  // error object with its stack for every valid request.
  const mode = codes.size > 1 ? Modes.FULL : Modes.PARTIAL;
  const validate = celebrate(rules, validationOptions, { mode });
  return (request, response, next) =>
    validate(request, response, (error?: unknown) =>
      error && isCelebrateError(error) ? next(toError(error.details, codes)) : next(error),
    );
}
