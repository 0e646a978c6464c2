/**
 * A client of the API that keeps an exact record: for every request its answer, or that there was none. A refused connection does
 * not count as a request. A request that was sent but not answered is `ambiguous`, as for an integrator.
 */
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

export interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape are looked into.
  readonly body: any;
}

export interface Exchange {
  readonly method: string;
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  readonly tookMs: number;
  /** Absent: the request is ambiguous, or `unsent`. */
  readonly answer?: Answer;
  readonly error?: string;
  /** No API process accepted a connection, so nothing was sent. */
  readonly unsent?: true;
  /** Reference in the body, if it has one. */
  readonly reference?: string;
}

export interface Caller {
  readonly exchanges: readonly Exchange[];
  call(
    method: string,
    path: string,
    body?: Record<string, unknown>,
    more?: Readonly<Record<string, string>>,
  ): Promise<Exchange>;
  close(): Promise<void>;
}

interface CallerOptions {
  readonly urls: readonly string[];
  readonly clientId: string;
  readonly apiKey: string;
  /** File to which every answer is appended. */
  readonly answersFile?: string;
  readonly connections?: number;
  /** How long to wait for an answer. */
  readonly headersMs?: number;
}

const GIVE_UP_MS = 15_000;
const RETRY_MS = 100;
const HEADERS_MS = 30_000;

const wasRefused = (error: unknown): boolean => {
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: unknown };
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(wasRefused);
  return code === 'ECONNREFUSED' || code === 'UND_ERR_CONNECT_TIMEOUT';
};

const codeOf = (error: unknown) => {
  const { code, name, message } = (error ?? {}) as { code?: string; name?: string; message?: string };
  return `${code ?? name ?? 'error'} ${message ?? ''}`.trim();
};

const parse = (text: string) => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

export function createCaller(options: CallerOptions): Caller {
  const { urls, clientId, apiKey, answersFile, connections = 64, headersMs = HEADERS_MS } = options;
  const pools = urls.map((url) => new Pool(url, { connections, pipelining: 1, headersTimeout: headersMs }));
  const authorization = `Basic ${Buffer.from(`${clientId}:${apiKey}`).toString('base64')}`;
  const exchanges: Exchange[] = [];
  let turn = 0;

  const send = async (
    pool: Pool,
    method: string,
    path: string,
    body: unknown,
    more: Readonly<Record<string, string>>,
  ): Promise<Answer> => {
    const headers = { authorization, ...(body !== undefined && { 'content-type': 'application/json' }), ...more };
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await pool.request({ method: method as 'POST', path, headers, ...text });
    const answer = await response.body.text();
    if (answersFile) appendFileSync(answersFile, `${JSON.stringify(response.headers)}\n${answer}\n`);
    return { status: response.statusCode, body: parse(answer) };
  };

  return {
    exchanges,
    async call(method, path, body, more = {}) {
      const startedAt = performance.now();
      const sentAt = Date.now();
      const reference = body?.referenceId;
      const record = (result: Pick<Exchange, 'answer' | 'error' | 'unsent'>): Exchange => {
        const tookMs = performance.now() - startedAt;
        const named = typeof reference === 'string' ? { reference } : {};
        const exchange = { method, path, sentAt, tookMs, ...named, ...result };
        exchanges.push(exchange);
        return exchange;
      };
      for (;;) {
        turn += 1;
        const pool = pools[turn % pools.length] as Pool;
        try {
          return record({ answer: await send(pool, method, path, body, more) });
        } catch (error) {
          // Nothing was sent: another API process may take the request, as with a balancer.
          if (!wasRefused(error)) return record({ error: codeOf(error) });
          if (performance.now() - startedAt > GIVE_UP_MS) return record({ error: codeOf(error), unsent: true });
          await pause(RETRY_MS);
        }
      }
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.destroy()));
    },
  };
}
