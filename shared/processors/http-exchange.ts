/**
 * One HTTP exchange with a processor, told apart by what the core needs to know: did it answer, did nothing leave us, or is
 * it unknown? Nothing that was sent or received is ever part of `internal`: it goes to the log.
 */
import { type Dispatcher, Pool } from 'undici';
import '../outbound/baseline-wasm.js';
import { limits } from '../../config/limits.js';

export type Exchange =
  /** `json` is `undefined` when the body was empty. */
  | { readonly kind: 'answered'; readonly status: number; readonly headers: ExchangeHeaders; readonly json: unknown }
  /** The connection was never made, or none was free before the deadline: no byte of the request left. */
  | { readonly kind: 'not-sent'; readonly internal: string }
  /** Time-out, reset, an answer that is too large or cannot be read. */
  | { readonly kind: 'unknown'; readonly internal: string };

export type ExchangeHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface ExchangeRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent as it is, in the place of `body`; `headers` say what it is. */
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Largest answer that is read (default `limits.processorResponseBytesMax`). */
  readonly bytesMax?: number;
  /** Instead of the deadline that all have. */
  readonly timeoutMs?: number;
}

export interface HttpExchange {
  exchange(request: ExchangeRequest): Promise<Exchange>;
  /** Ends open connections; exchanges that were written and not answered become `unknown`. */
  close(): Promise<void>;
}

/** Looked at by shape: errors of another realm (a test runner's) are no instances of our classes. */
interface ErrorShape {
  readonly name?: unknown;
  readonly code?: unknown;
}

/** Name and code only: the message of a parser can quote what it read. */
function describe({ name, code }: ErrorShape): string {
  return [name, code].filter((part) => typeof part === 'string').join(' ') || 'an error';
}

class TooLarge extends Error {
  override readonly name = 'TooLarge';
}

/** Leaves out the byte order mark that some servers put before their JSON (RFC 8259, 8.1). */
const utf8 = new TextDecoder();

interface Bounds {
  readonly timeoutMs: number;
  readonly bytesMax: number;
}

/** Reads one answer, and gives up at the deadline. Settled once; whatever comes after that is not heard. */
class AnswerReader implements Dispatcher.DispatchHandler {
  private readonly calledMs = performance.now();
  private readonly timer: NodeJS.Timeout;
  /** Set right before the first byte of the request is written, and never taken away: until then nothing left. */
  private controller: Dispatcher.DispatchController | undefined;
  private settled = false;
  /** Why it was given up. */
  private late: string | undefined;
  private status = 0;
  private headers: ExchangeHeaders = {};
  private readonly chunks: Buffer[] = [];
  private bytes = 0;

  constructor(
    private readonly bounds: Bounds,
    private readonly resolve: (exchange: Exchange) => void,
  ) {
    this.timer = setTimeout(() => this.giveUp(), bounds.timeoutMs);
  }

  onRequestStart(started: Dispatcher.DispatchController) {
    // Before a byte of it is written. The clock is asked because a process that was stopped may come here before its timer.
    if (!this.settled && performance.now() - this.calledMs >= this.bounds.timeoutMs) this.settle(this.notSent());
    if (this.settled) return started.abort(new Error(this.notSent().internal));
    this.controller = started;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: ExchangeHeaders) {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(reading: Dispatcher.DispatchController, chunk: Buffer) {
    this.bytes += chunk.length;
    // Aborting destroys the connection: the rest is not read.
    if (this.bytes > this.bounds.bytesMax) reading.abort(new TooLarge());
    else this.chunks.push(chunk);
  }

  onResponseEnd() {
    if (this.settled) return;
    const { status, headers } = this;
    try {
      const text = utf8.decode(Buffer.concat(this.chunks));
      this.settle({ kind: 'answered', status, headers, json: text === '' ? undefined : JSON.parse(text) });
    } catch {
      this.settle({ kind: 'unknown', internal: `an answer that is no JSON, status ${status}` });
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController | undefined, error: unknown) {
    if (this.settled) return;
    const described = describe((error ?? {}) as ErrorShape);
    // Whatever the error is (no address, a certificate that is not trusted): a request that never had its turn was not written.
    if (this.controller) this.settle({ kind: 'unknown', internal: this.late ?? described });
    else this.settle({ kind: 'not-sent', internal: `no connection: ${described}` });
  }

  private giveUp() {
    this.late = `no answer within ${this.bounds.timeoutMs} ms`;
    // While it waits for a connection nothing is written and there is nothing to abort: it is turned away when its turn comes.
    if (!this.controller) return this.settle(this.notSent());
    this.settle({ kind: 'unknown', internal: this.late });
    this.controller.abort(new Error(this.late));
  }

  private notSent() {
    return { kind: 'not-sent', internal: `no connection within ${this.bounds.timeoutMs} ms` } as const;
  }

  private settle(exchange: Exchange) {
    this.settled = true;
    clearTimeout(this.timer);
    this.resolve(exchange);
  }
}

/** One exchange straight at the dispatcher, which costs half of what `request` does: no stream, no abort signal, one timer. */
function dispatch(dispatcher: Dispatcher, options: Dispatcher.DispatchOptions, bounds: Bounds): Promise<Exchange> {
  return new Promise((resolve) => {
    const reader = new AnswerReader(bounds, resolve);
    try {
      dispatcher.dispatch(options, reader);
    } catch (error) {
      reader.onResponseError(undefined, error);
    }
  });
}

/**
 * Opens a pool of kept-alive connections.
 * @param timeoutMs from the call to the last byte of the answer, waiting for a connection included
 * @param ca certificate authorities in PEM, in place of those of Node
 */
export function createHttpExchange({
  baseUrl,
  timeoutMs,
  ca,
}: {
  baseUrl: string;
  timeoutMs: number;
  ca?: string | undefined;
}): HttpExchange {
  const { origin, pathname } = new URL(baseUrl);
  const prefix = pathname.replace(/\/+$/, '');
  const pool = new Pool(origin, {
    connections: limits.processorConnectionsMax,
    pipelining: 1,
    connect: { timeout: limits.processorConnectMs, ...(ca !== undefined && { ca }) },
    keepAliveTimeout: limits.processorKeepAliveMs,
    keepAliveMaxTimeout: limits.processorKeepAliveMs,
    // The one deadline below bounds everything.
    headersTimeout: 0,
    bodyTimeout: 0,
  });

  return {
    exchange({
      method,
      path,
      body,
      text,
      headers,
      bytesMax = limits.processorResponseBytesMax,
      timeoutMs: ownMs = timeoutMs,
    }) {
      const options = {
        method,
        path: prefix + path,
        headers: body === undefined ? { ...headers } : { 'content-type': 'application/json', ...headers },
        body: text ?? (body === undefined ? null : JSON.stringify(body)),
      };
      return dispatch(pool, options, { timeoutMs: ownMs, bytesMax });
    },
    close: () => pool.destroy(),
  };
}
