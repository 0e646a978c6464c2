/** The operator port of a worker process: health, readiness and metrics behind sign-in, as in the API (docs/security.md#operator-port). */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Config } from '../config/index.js';
import { limits } from '../config/limits.js';
import { createOperatorSignIn } from '../shared/identity/operator-sign-in.js';
import { listenNear } from '../shared/listen.js';
import type { Log } from '../shared/log.js';
import type { Metrics } from '../shared/metrics.js';

interface OperatorServerOptions {
  readonly config: Pick<Config, 'workerOperatorPort' | 'operatorHost' | 'operatorUser' | 'operatorPassword'>;
  readonly metrics: Metrics;
  /** Throws when MongoDB does not answer in time. */
  ping(): Promise<void>;
  /** Why the process takes no work (its clock is off, or the database was restored); `undefined` when it takes work. */
  problem(): string | undefined;
  /** Whether Redis may evict nudges. The readiness page says so, but the process is still ready. */
  redisEvicts(): boolean;
  readonly log: Log;
}

type Page = (given: OperatorServerOptions) => Promise<{ status: number; type: string; text: string }>;

const json = (status: number, body: object) => ({ status, type: 'application/json', text: JSON.stringify(body) });

const pages: Readonly<Record<string, Page>> = {
  '/healthz': async () => json(200, { status: 'ok' }),
  '/readyz': async ({ ping, problem, redisEvicts, log }) => {
    const reason = problem();
    try {
      await ping();
    } catch (error) {
      log.warn('readiness.mongodb-silent', { error });
      return json(503, { status: 'not-ready', mongodb: 'down' });
    }
    return reason
      ? json(503, { status: 'not-ready', mongodb: 'ok', reason })
      : json(200, { status: 'ready', mongodb: 'ok', ...(redisEvicts() && { notices: ['redis-evicts'] }) });
  },
  '/metrics': async ({ metrics }) => ({ status: 200, type: metrics.contentType, text: await metrics.text() }),
};

function answer(response: ServerResponse, page: { status: number; type: string; text: string }): void {
  response.writeHead(page.status, { 'content-type': page.type, 'cache-control': 'no-store' }).end(page.text);
}

/** Starts the server at the configured host and port; with port 0 there is none. */
export async function startOperatorServer(given: OperatorServerOptions): Promise<{ close(): Promise<void> }> {
  const { config, log } = given;
  if (config.workerOperatorPort === 0) return { close: async () => undefined };
  const signIn = createOperatorSignIn(config, log);
  const answerPage = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const caller = await signIn(request.headers.authorization, request.socket.remoteAddress ?? '');
    if (caller.kind === 'blocked') {
      response.setHeader('retry-after', caller.retryAfterSeconds);
      return answer(response, json(429, { code: 'too-many-requests' }));
    }
    if (caller.kind === 'stranger') {
      response.setHeader('www-authenticate', 'Basic realm="operator"');
      return answer(response, json(401, { code: 'unauthorized' }));
    }
    const page = pages[new URL(request.url ?? '/', 'http://operator').pathname];
    answer(response, page ? await page(given) : json(404, { code: 'not-found' }));
  };
  const server = createServer({ requestTimeout: limits.requestTimeoutMs }, (request, response) => {
    answerPage(request, response).catch((error: unknown) => {
      log.error('operator.page-failed', { error });
      answer(response, json(500, { code: 'internal-error' }));
    });
  });
  const port = await listenNear(server, config.workerOperatorPort, config.operatorHost);
  log.info('operator.listening', { port, host: config.operatorHost });
  return {
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
