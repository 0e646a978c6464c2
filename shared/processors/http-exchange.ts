/**
 * One HTTP exchange with a processor, told apart by what the core needs to know: did it answer, did nothing leave us, or is
 * it unknown? Nothing that was sent or received is ever part of `internal`: it goes to the log.
 */
import { Pool } from 'undici';
import { limits } from '../../config/limits.js';

export type Exchange =
  /** `json` is `undefined` when the body was empty. */
  | { readonly kind: 'answered'; readonly status: number; readonly headers: ExchangeHeaders; readonly json: unknown }
  /** The connection was never made: no byte of the request left. */
  | { readonly kind: 'not-sent'; readonly internal: string }
  /** Time-out, reset, an answer that is too large or cannot be read. */
  | { readonly kind: 'unknown'; readonly internal: string };

export type ExchangeHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** Largest answer that is read (default `limits.processorResponseBytesMax`). */
  readonly bytesMax?: number;
}

export interface HttpExchange {
  exchange(request: ExchangeRequest): Promise<Exchange>;
  /** Ends open connections; exchanges that still run become `unknown`. */
  close(): Promise<void>;
}

/** Errors that only the making of a connection can raise. */
const connectErrorCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
]);

/** Looked at by shape: errors of another realm (a test runner's) are no instances of our classes. */
interface ErrorShape {
  readonly name?: unknown;
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly errors?: unknown;
}

/** `syscall` must be there for the system's own codes: the same code on a running connection would not mean "not sent". */
function neverConnected({ code, syscall, errors }: ErrorShape): boolean {
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return true;
  // A host with several addresses fails with one error per address; all of them must be of this kind.
  if (Array.isArray(errors)) return errors.length > 0 && errors.every(neverConnected);
  if (typeof code !== 'string' || !connectErrorCodes.has(code)) return false;
  return syscall === 'connect' || syscall === 'getaddrinfo';
}

/** Name and code only: the message of a parser can quote what it read. */
function describe({ name, code }: ErrorShape): string {
  return [name, code].filter((part) => typeof part === 'string').join(' ') || 'an error';
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

async function readText(body: AsyncIterable<Buffer>, bytesMax: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (bytes > bytesMax) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/**
 * Opens a pool of kept-alive connections.
 * @param timeoutMs from the call to the last byte of the answer, waiting for a connection included
 */
export function createHttpExchange({ baseUrl, timeoutMs }: { baseUrl: string; timeoutMs: number }): HttpExchange {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const pool = new Pool(origin, {
    connections: limits.processorConnectionsMax,
    pipelining: 1,
    connect: { timeout: limits.processorConnectMs },
    keepAliveTimeout: limits.processorKeepAliveMs,
    keepAliveMaxTimeout: limits.processorKeepAliveMs,
    // The one deadline below bounds everything.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  async function send(request: ExchangeRequest, signal: AbortSignal): Promise<Exchange> {
    const { method, path, body, headers, bytesMax = limits.processorResponseBytesMax } = request;
    const response = await pool.request({
      method,
      path: prefix + path,
      headers: body === undefined ? { ...headers } : { ...headers, 'content-type': 'application/json' },
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await readText(response.body, bytesMax);
    const json: unknown = text === '' ? undefined : JSON.parse(text);
    return { kind: 'answered', status: response.statusCode, headers: response.headers, json };
  }

  return {
    async exchange(request) {
      const abort = new AbortController();
      const timer = setTimeout(() => abort.abort(), timeoutMs);
      try {
        return await send(request, abort.signal);
      } catch (thrown) {
        const error = (thrown ?? {}) as ErrorShape;
        if (neverConnected(error)) return { kind: 'not-sent', internal: `no connection: ${describe(error)}` };
        const reason = abort.signal.aborted ? `no answer within ${timeoutMs} ms` : describe(error);
        return { kind: 'unknown', internal: reason };
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => pool.destroy(),
  };
}
