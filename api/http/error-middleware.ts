/**
 * Every error becomes the error envelope here, or a page for payers. No internal detail leaves the process
 * (docs/security.md#server-errors).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ErrorRequestHandler, RequestHandler } from 'express';
import { limits } from '../../config/limits.js';
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import { GatewayError, invalidField, isServerError, toEnvelope } from '../../shared/contract/gateway-error.js';
import { isUnavailable } from '../../shared/store/database-errors.js';
import { NewerDocumentError } from '../../shared/store/schema-version.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import type { Readiness } from '../deps.js';
import { bearerTokenOf } from '../identity/access-token.js';
import { stateOf } from './request-state.js';
import { send } from './send.js';

/** Both schemes are offered. A caller that sent a token learns that the token is invalid (RFC 6750, 3.1). */
const BASIC = 'Basic realm="payment-gateway", charset="UTF-8"';
const BEARER = 'Bearer realm="payment-gateway"';

/** After these errors the next request on the connection cannot be found. */
const CLOSING: ReadonlySet<ErrorCode> = new Set([
  'payload-too-large',
  'malformed-request',
  'request-timeout',
  'expectation-failed',
  'headers-too-large',
]);

/** Returns the error to answer for anything that was thrown. */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof URIError) {
    return invalidField('path', 'is not valid percent-encoding');
  }
  // A newer release wrote the document: a process of that release answers behind the same address.
  if (isUnavailable(error) || error instanceof NewerDocumentError) {
    const { name } = error as Error;
    return new GatewayError('timeout', { cause: error, internal: name, retryAfterSeconds: limits.retryAfterSeconds });
  }
  // The keys are available again when MongoDB is, or in a process with another configuration.
  if (error instanceof VaultError && (error.code === 'keys-unavailable' || error.code === 'master-key-missing')) {
    const retryAfterSeconds = limits.retryAfterPaymentSeconds;
    return new GatewayError('service-unavailable', { cause: error, internal: error.code, retryAfterSeconds });
  }
  return new GatewayError('internal-error', { cause: error });
}

function setHeaders(request: IncomingMessage, response: ServerResponse, error: GatewayError): void {
  if (error.status === 401) {
    const sentToken = bearerTokenOf(request.headers.authorization) !== undefined;
    response.setHeader('WWW-Authenticate', [BASIC, sentToken ? `${BEARER}, error="invalid_token"` : BEARER]);
  }
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(error.retryAfterSeconds));
  if (CLOSING.has(error.code)) response.setHeader('Connection', 'close');
}

/** Answers with an error. The request must have passed `startRequest`. */
export function answerError(thrown: unknown, request: IncomingMessage, response: ServerResponse): void {
  const state = stateOf(response);
  // The call took so long that it is answered already.
  if (response.writableEnded) {
    state.log.warn('request.failed-late', { error: thrown });
    return;
  }
  const error = toGatewayError(thrown);
  state.code = error.code;
  if (error.message !== error.code) state.reason = error.message;
  // A probe that finds the process unready is a normal answer and no failure: `request.completed` records it.
  const expected = state.quiet && thrown instanceof GatewayError;
  if (isServerError(error.status) && !expected)
    state.log.error('request.failed', { code: error.code, error: error.cause ?? error });
  state.audited?.refused(error);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  setHeaders(request, response, error);
  if (state.sendErrorPage) state.sendErrorPage(error);
  else send(response, error.status, state.presentError?.(error) ?? toEnvelope(error, state.traceId));
}

/** The last middleware. Express recognises an error handler by its four parameters. */
export function answerErrors(readiness: Readiness): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    if (readiness.draining && !response.headersSent) response.setHeader('Connection', 'close');
    answerError(thrown, request, response);
  };
}

/** Answers a request that matched no route. */
export const answerNotFound: RequestHandler = () => {
  throw new GatewayError('not-found');
};
