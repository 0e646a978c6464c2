/**
 * The HTTP server with the bounds that make slow and malformed callers harmless (docs/security.md#slow-and-malformed-clients). Node's
 * parser stays strict.
 */
import http from 'node:http';
import net from 'node:net';
import type { Express } from 'express';
import { limits } from '../../config/limits.js';
import { answerLimitMs } from './answer-limit.js';
import { answerRefused } from './refused-requests.js';

/** Bounds of a connection, in time and number. */
export type ServerBounds = Readonly<
  Record<
    | 'headersTimeoutMs'
    | 'requestTimeoutMs'
    | 'connectionsCheckingIntervalMs'
    | 'keepAliveTimeoutMs'
    | 'headersBytesMax'
    | 'headersCountMax'
    | 'requestsPerSocketMax'
    | 'connectionsMax'
    | 'socketIdleTimeoutMs'
    | 'mongoOperationMs'
    | 'answerPendingMs'
    | 'answerMarginMs',
    number
  >
>;

/**
 * Creates the server; it does not listen yet.
 * @param app answers the requests.
 * @param responseWaitMs how long a call waits for an outcome: an idle socket outlives the longest answer by a margin.
 * @param bounds those of config/limits.ts; tests shorten the times.
 */
export function createServer(app: Express, responseWaitMs = 0, bounds: ServerBounds = limits): http.Server {
  const server = http.createServer(
    {
      // The application's own classes of requests and responses, if it set them (app.ts).
      IncomingMessage: app.request.constructor as typeof http.IncomingMessage,
      ServerResponse: app.response.constructor as typeof http.ServerResponse,
      headersTimeout: bounds.headersTimeoutMs,
      requestTimeout: bounds.requestTimeoutMs,
      connectionsCheckingInterval: bounds.connectionsCheckingIntervalMs,
      keepAliveTimeout: bounds.keepAliveTimeoutMs,
      maxHeaderSize: bounds.headersBytesMax,
      insecureHTTPParser: false,
      // The application refuses a missing Host itself, with its own answer (refused-requests.ts).
      requireHostHeader: false,
      noDelay: true,
    },
    app,
  );
  answerRefused(server, app);
  // One more than is allowed: the application refuses what Node would leave out (refused-requests.ts).
  server.maxHeadersCount = bounds.headersCountMax + 1;
  server.maxRequestsPerSocket = bounds.requestsPerSocketMax;
  server.maxConnections = bounds.connectionsMax;
  // Longer than the longest answer takes: a dead connection is cut, but never before its answer.
  server.timeout = Math.max(bounds.socketIdleTimeoutMs, answerLimitMs(responseWaitMs, bounds) + bounds.answerMarginMs);
  return server;
}

/** Listens and returns the port (useful when `port` is 0). @throws {Error} when the address is in use or not ours. */
export function listen(server: http.Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve((server.address() as net.AddressInfo).port);
    });
  });
}

/**
 * Stops accepting connections at once and waits until the calls in flight are answered. A kept-alive connection is not cut while a
 * request may be on its way on it: that caller could not know whether the request was processed. Such connections close with their next
 * answer (`Connection: close`), or as idle after `idleMs`.
 */
export function drain(server: http.Server, idleMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => server.closeIdleConnections(), idleMs);
    // http's own close() would close idle connections right away; net's only stops listening.
    net.Server.prototype.close.call(server, () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
