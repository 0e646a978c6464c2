/** Every error becomes the envelope of the contract here; nothing of its inside leaves the process (S46). */
import type { ErrorRequestHandler, Request, RequestHandler, Response } from 'express';
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import { GatewayError, toEnvelope } from '../../shared/contract/gateway-error.js';
import { bearerTokenOf } from '../../shared/identity/access-token.js';
import type { Readiness } from '../deps.js';
import { stateOf } from './request-state.js';
import { send } from './send.js';

/** Both schemes; a caller who sent a token is told that it is the token (RFC 6750, 3.1). */
const BASIC = 'Basic realm="payment-gateway", charset="UTF-8"';
const BEARER = 'Bearer realm="payment-gateway"';
const SERVER_ERROR = 500;
const RETRY_AFTER_SECONDS = 1;

/** What the body reader of Express reports, by its `type`. */
const BODY_ERRORS: Readonly<Record<string, ErrorCode>> = {
  'entity.too.large': 'payload-too-large',
  'encoding.unsupported': 'unsupported-media-type',
  'charset.unsupported': 'unsupported-media-type',
};
const BODY_INCOMPLETE: ReadonlySet<string> = new Set([
  'request.aborted',
  'request.size.invalid',
  'stream.encoding.set',
]);

/** The driver's names for "MongoDB did not answer in time". Only the store imports the driver, so names it is. */
const DATABASE_SILENT: ReadonlySet<string> = new Set([
  'MongoServerSelectionError',
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoOperationTimeoutError',
  'MongoPoolClearedError',
  'MongoWaitQueueTimeoutError',
  'MongoNotConnectedError',
  'MongoTopologyClosedError',
  'MongoBulkWriteError',
  'MongoWriteConcernError',
]);

/** The error that is answered for anything that was thrown. */
export function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  const { type, name } = (error ?? {}) as { type?: unknown; name?: unknown };
  if (typeof type === 'string') {
    const code = BODY_ERRORS[type];
    if (code) return new GatewayError(code);
    if (BODY_INCOMPLETE.has(type)) {
      return new GatewayError('request-validation-errors', { params: { body: ['did not arrive completely'] } });
    }
  }
  if (error instanceof URIError) {
    return new GatewayError('request-validation-errors', { params: { path: ['is not valid percent-encoding'] } });
  }
  if (typeof name === 'string' && DATABASE_SILENT.has(name)) {
    return new GatewayError('timeout', { cause: error, internal: name, retryAfterSeconds: RETRY_AFTER_SECONDS });
  }
  return new GatewayError('internal-error', { cause: error });
}

function setHeaders(request: Request, response: Response, error: GatewayError): void {
  if (error.status === 401) {
    const sentToken = bearerTokenOf(request.headers.authorization) !== undefined;
    response.setHeader('WWW-Authenticate', [BASIC, sentToken ? `${BEARER}, error="invalid_token"` : BEARER]);
  }
  if (error.retryAfterSeconds !== undefined) response.setHeader('Retry-After', String(error.retryAfterSeconds));
  // The rest of a body that is too large is not read: the connection cannot be used again.
  if (error.status === 413) response.setHeader('Connection', 'close');
}

/** The last middleware. Express tells an error handler by its four parameters. */
export function answerErrors(readiness: Readiness): ErrorRequestHandler {
  return (thrown, request, response, _next) => {
    const error = toGatewayError(thrown);
    const state = stateOf(response);
    state.code = error.code;
    if (error.message !== error.code) state.reason = error.message;
    if (error.status >= SERVER_ERROR)
      state.log.error('request.failed', { code: error.code, error: error.cause ?? error });
    if (response.headersSent) {
      response.destroy();
      return;
    }
    setHeaders(request, response, error);
    if (readiness.draining) response.setHeader('Connection', 'close');
    send(response, error.status, state.presentError?.(error) ?? toEnvelope(error, state.traceId));
  };
}

/** Answers what no route took. */
export const answerNotFound: RequestHandler = () => {
  throw new GatewayError('not-found');
};
