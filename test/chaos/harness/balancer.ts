/**
 * A typical load balancer in front of the API processes: it checks `/readyz` once a second and sends requests to the processes that were
 * ready then. It never sends a request again, and a failure behind it is a failure for the client.
 */
import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

export interface Balancer {
  /** Address for clients. */
  readonly url: string;
  /** Resolves when the balancer sends to all processes. */
  awaitAllReady(): Promise<void>;
  close(): Promise<void>;
}

const PROBE_MS = 1_000;
/** How long a call waits while all processes refuse: shorter than clients wait. */
const HOLD_MS = 10_000;
const BAD_GATEWAY = 502;
const HOP_BY_HOP = new Set(['connection', 'keep-alive', 'transfer-encoding', 'host']);

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const headersOf = ({ headers }: IncomingMessage) =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !HOP_BY_HOP.has(name)));

/** Makes one call on a new connection. @throws what prevented the answer */
async function send(url: string, { method = 'GET', url: path = '/' }: IncomingMessage, headers: object, body: Buffer) {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const call = httpRequest(new URL(path, url), { method, headers: { ...headers }, agent: false });
    call.once('response', resolve);
    call.once('error', reject);
    call.end(body);
  });
  return { status: answer.statusCode ?? BAD_GATEWAY, headers: headersOf(answer), body: await readAll(answer) };
}

const wasRefused = (error: unknown) => (error as NodeJS.ErrnoException).code === 'ECONNREFUSED';

/**
 * @param refusals `next`: a call whose connection is refused goes to the next process, and while no process is ready all are tried, as by
 *   balancers that fail open. `fail`: the call fails for the client.
 */
export async function startBalancer(urls: readonly string[], refusals: 'next' | 'fail'): Promise<Balancer> {
  let ready: readonly string[] = [...urls];
  let turn = 0;
  let ended = false;
  const isReady = (url: string) =>
    fetch(`${url}/readyz`, { headers: { connection: 'close' } }).then(
      ({ ok, body }) => body?.cancel().then(() => ok) ?? ok,
      () => false,
    );
  const probing = (async () => {
    while (!ended) {
      const states = await Promise.all(urls.map(isReady));
      ready = urls.filter((_, index) => states[index]);
      await pause(PROBE_MS);
    }
  })();

  async function forward(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [headers, body] = [headersOf(request), await readAll(request)];
    for (const giveUpAt = performance.now() + HOLD_MS; ; ) {
      turn += 1;
      const candidates = ready.length > 0 || refusals === 'fail' ? ready : urls;
      const url = candidates[turn % candidates.length];
      if (url === undefined) throw new Error('no process is ready');
      try {
        const answer = await send(url, request, headers, body);
        response.writeHead(answer.status, answer.headers).end(answer.body);
        return;
      } catch (error) {
        // The request may have been executed: only the client may decide to repeat it.
        if (refusals === 'fail' || !wasRefused(error)) throw error;
        ready = ready.filter((other) => other !== url);
      }
      if (performance.now() > giveUpAt) {
        response.writeHead(BAD_GATEWAY).end();
        return;
      }
      if (ready.length === 0) await pause(PROBE_MS / 10);
    }
  }

  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    awaitAllReady: async () => {
      while (ready.length < urls.length) await pause(PROBE_MS / 10);
    },
    close: async () => {
      ended = true;
      await probing;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
