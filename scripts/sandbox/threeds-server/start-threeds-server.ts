/**
 * A mock 3D Secure server on the EMV 3DS JSON wire, with directory and issuers behind it: `preauth`, `auth` and `postauth` for a
 * gateway with the right key, pages below `/acs` for payers' browsers. For tests and trying out: it authenticates no person.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { AReq } from '../../../shared/threeds-providers/emv3ds/messages.js';
import { isAdmitted } from '../simulator/admit-caller.js';
import { readJson } from '../simulator/read-request.js';
import { sendJson } from '../simulator/send-answer.js';
import { routeAcs } from './acs-pages.js';
import { type Answer, createSessions, erro, type Sessions } from './sessions.js';

export interface ThreeDsServerOptions {
  /** 0 picks a free port. */
  readonly port: number;
  readonly apiKey: string;
  readonly apiKeyHeader?: string;
  /** PEM. Without it the server speaks plain HTTP. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** Divides every wait. */
  readonly timeScale?: number;
}

/** A received call, for tests. */
export interface ReceivedCall {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface ThreeDsServer {
  readonly url: string;
  /** Calls with the right key, oldest first. */
  readonly received: readonly ReceivedCall[];
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
/** Longer than any caller waits. */
const SLOW_MS = 60_000;
const RECEIVED_MAX = 1_000;

function send(response: ServerResponse, answer: Answer, timeScale: number): void {
  if (answer.kind === 'json') {
    sendJson(response, answer.status ?? 200, answer.body);
  } else if (answer.kind === 'cut-off') {
    response.destroy();
  } else if (answer.kind === 'slow') {
    const timer = setTimeout(() => sendJson(response, 200, answer.body), SLOW_MS / timeScale);
    response.once('close', () => clearTimeout(timer));
  } else {
    response.writeHead(answer.status, { 'content-type': 'text/plain' });
    response.end(answer.text);
  }
}

function answerOf(sessions: Sessions, path: string, body: ReceivedCall['body'], base: string): Answer | undefined {
  if (path === '/preauth') {
    const prepared = sessions.prepare(String(body['acctNumber']), `${base}/acs/method`);
    return { kind: 'json', body: prepared, ...(prepared.messageType === 'Erro' && { status: 404 }) };
  }
  if (path === '/auth') return sessions.authenticate(body as unknown as AReq, `${base}/acs/challenge`);
  if (path === '/postauth') return { kind: 'json', body: sessions.result(String(body['threeDSServerTransID'])) };
  return undefined;
}

/** Resolves when the server listens. @throws when the port is taken */
export async function startThreeDsServer(options: ThreeDsServerOptions): Promise<ThreeDsServer> {
  const { port, apiKey, apiKeyHeader = 'APIKey', tls, timeScale = 1 } = options;
  const sessions = createSessions(Date.now, timeScale);
  const received: ReceivedCall[] = [];

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = ''] = (request.url ?? '/').split('?', 1);
    const [, first, second] = path.split('/');
    if (first === 'acs' && (await routeAcs(sessions, second, { request, response }))) return;
    if (request.method !== 'POST') return sendJson(response, 404, { error: 'there is nothing at this path' });
    if (request.headers[apiKeyHeader.toLowerCase()] !== apiKey) {
      return send(response, { kind: 'text', status: 401, text: 'Invalid API Key' }, timeScale);
    }
    const body = (await readJson(request)) as ReceivedCall['body'] | undefined;
    if (typeof body !== 'object' || body === null) {
      return sendJson(response, 400, erro('101', 'Message Received Invalid', 'not JSON'));
    }
    received.push({ path, headers: request.headers, body });
    if (received.length > RECEIVED_MAX) received.shift();
    const answer = answerOf(sessions, path, body, `${tls ? 'https' : 'http'}://${request.headers.host}`);
    if (answer) send(response, answer, timeScale);
    else sendJson(response, 404, { error: 'there is nothing at this path' });
  }

  const listener = (request: IncomingMessage, response: ServerResponse) => {
    if (!isAdmitted(request, HOST)) {
      sendJson(response, 403, { error: 'not from this machine' });
      return;
    }
    route(request, response).catch(() => response.destroy());
  };
  const server = tls ? createTlsServer(tls, listener) : createServer(listener);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, HOST, resolve);
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    url: `${tls ? 'https' : 'http'}://${HOST}:${bound}`,
    received,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
