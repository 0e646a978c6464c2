/**
 * Requests that no route sees, because Node's parser or the rules of HTTP refuse them. They still pass through the application, so that
 * they get what every answer has: trace id, envelope, security headers, a line in the log.
 */
import http from 'node:http';
import type { Socket } from 'node:net';
import type { RequestHandler } from 'express';
import { limits } from '../../config/limits.js';
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { answerError } from './error-middleware.js';
import { noteExpectation } from './leave-unread.js';

const refused = new WeakMap<http.IncomingMessage, GatewayError>();

/** Error codes for what Node's parser reports; anything else is malformed HTTP. */
const PARSER_ERRORS: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

function toRefusal({ code = '' }: NodeJS.ErrnoException): GatewayError {
  return new GatewayError(PARSER_ERRORS[code] ?? 'malformed-request', { internal: `the parser said ${code}` });
}

function countHosts({ rawHeaders }: http.IncomingMessage): number {
  let count = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

/**
 * Runs after the first middleware: throws the refusal noted for this request, or refuses a request with too many headers, or without
 * exactly one Host (RFC 9112, 3.2; docs/security.md#one-host).
 */
export const refuseMalformed: RequestHandler = (request, _response, next) => {
  const refusal = refused.get(request);
  if (refusal) throw refusal;
  // Node drops the headers beyond its bound: one of them may be the Idempotency-Key.
  if (request.rawHeaders.length > 2 * limits.headersCountMax) {
    throw new GatewayError('headers-too-large', {
      message: `The request has more than ${limits.headersCountMax} headers. Send fewer.`,
    });
  }
  const hosts = countHosts(request);
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    throw new GatewayError('malformed-request', { message: 'Send exactly one Host header.' });
  }
  next();
};

/** Answers on a connection on which no request could be parsed. */
function answerConnection(app: http.RequestListener, socket: Socket, refusal: GatewayError): void {
  const request = new http.IncomingMessage(socket);
  request.url = '/';
  const response = new http.ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  response.once('finish', () => {
    response.detachSocket(socket);
    socket.destroySoon();
    // A server emits `close` for its own responses; the log line depends on it.
    response.emit('close');
  });
  refused.set(request, refusal);
  app(request, response);
}

/**
 * Lets the application answer what Node would answer with only a status line: a request that cannot be parsed, does not arrive in time,
 * or has an unsupported expectation. A caller that waits for `100 Continue` gets it when its body is read.
 */
export function answerRefused(server: http.Server, app: http.RequestListener): void {
  /** Responses of a connection that are not finished yet. */
  const open = new WeakMap<Socket, Set<http.ServerResponse>>();
  const broken = new WeakSet<Socket>();

  server.prependListener('request', ({ socket }, response) => {
    const answers = open.get(socket) ?? new Set();
    open.set(socket, answers.add(response));
    response.once('close', () => answers.delete(response));
  });
  server.on('checkContinue', (request, response) => {
    noteExpectation(request);
    server.emit('request', request, response);
  });
  server.on('checkExpectation', (request, response) => {
    refused.set(request, new GatewayError('expectation-failed'));
    server.emit('request', request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const connection = socket as Socket;
    if (broken.has(connection)) return;
    broken.add(connection);
    const answers = [...(open.get(connection) ?? [])];
    const [current] = answers;
    if (!connection.writable || error.code === 'ECONNRESET') connection.destroy();
    else if (!current) answerConnection(app, connection, toRefusal(error));
    // The body of this request is broken; the answer to the request closes the connection.
    else if (answers.length === 1 && !current.req.complete && !current.headersSent) {
      answerError(toRefusal(error), current.req, current);
    }
    // A complete request is being processed: the caller would take an error for its answer.
    else connection.destroy();
  });
}
