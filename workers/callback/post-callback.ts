import type { Agent, Dispatcher } from 'undici';
import { limits } from '../../config/limits.js';
import { version } from '../../config/version.js';
import type { DeliveryError } from '../../shared/domain/callback/delivery.js';
import { checkTargetUrl, type TargetRules } from '../../shared/outbound/target-url.js';
import { createGuardedAgent, type GuardOptions } from './guarded-agent.js';
import { createProxyDial } from './proxy-dial.js';

/** Name and version of the gateway that receivers see. */
export const userAgent = `payment-gateway/${version}`;

/** The content of a callback. Nothing else becomes a header. */
export interface CallbackPost {
  readonly url: string;
  readonly body: string;
  readonly eventId: string;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly eventCreatedAt: Date;
  readonly resourceVersion: number;
}

/** Result of a post. `ms`: time until the outcome was known. The answer's body is not kept. */
export type PostResult =
  | { readonly kind: 'answered'; readonly status: number; readonly ms: number }
  | { readonly kind: 'no-answer'; readonly error: DeliveryError; readonly ms: number };

export interface CallbackPoster {
  /** Sends once, within `limits.callbackTotalMs`. Never throws. */
  post(callback: CallbackPost): Promise<PostResult>;
  close(): Promise<void>;
}

export interface PosterOptions extends TargetRules, Omit<GuardOptions, 'allowPrivateNetworks' | 'throughProxy'> {
  readonly totalMs?: number;
  /** The HTTP proxy through which callbacks are sent; without it they are sent directly. @see createProxyDial */
  readonly proxyUrl?: string | undefined;
}

const errorOfCode: Readonly<Record<string, DeliveryError>> = {
  TARGET_REFUSED: 'target-refused',
  NAME_NOT_RESOLVED: 'name-not-resolved',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_SOCKET: 'connection-lost',
  ECONNRESET: 'connection-lost',
  EPIPE: 'connection-lost',
  UND_ERR_HEADERS_OVERFLOW: 'broken-answer',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'broken-answer',
  EPROTO: 'tls',
};

/** OpenSSL has many codes for certificate errors; these are prefixes that they share. */
const tlsCode = /^(ERR_TLS|ERR_SSL|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|CERT_|HOSTNAME_MISMATCH)/;

function errorOf(error: unknown): DeliveryError {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (errorOfCode[code]) return errorOfCode[code];
  if (code.startsWith('HPE_') || (error as Error | null)?.name === 'HTTPParserError') return 'broken-answer';
  return tlsCode.test(code) ? 'tls' : 'unreachable';
}

/** We ended the exchange ourselves. */
class AbortedError extends Error {
  override readonly name = 'AbortedError';
}

const FINAL_STATUS_MIN = 200;

function headersOf(callback: CallbackPost): Record<string, string> {
  return {
    'content-type': 'application/json',
    'user-agent': userAgent,
    accept: '*/*',
    // A compressed answer would only be discarded, and could be a decompression bomb.
    'accept-encoding': 'identity',
    'gateway-event-id': callback.eventId,
    'gateway-delivery-attempt': String(callback.attempt),
    'gateway-event-created-at': callback.eventCreatedAt.toISOString(),
    'gateway-resource-version': String(callback.resourceVersion),
  };
}

function toRequest(callback: CallbackPost): Agent.DispatchOptions {
  const url = new URL(callback.url);
  return {
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: 'POST',
    headers: headersOf(callback),
    body: callback.body,
  };
}

/**
 * Makes one exchange directly with the dispatcher, without a stream or an abort signal, which cost more than the request itself. A short
 * answer is read to its end so that the socket can be used again; after a long or slow one the socket is closed.
 * @returns the status, or why there was none; once there is a status, later events do not change it.
 */
function dispatch(agent: Agent, request: Agent.DispatchOptions, totalMs: number): Promise<number | DeliveryError> {
  return new Promise((resolve) => {
    let status: number | undefined;
    let bytes = 0;
    let controller: Dispatcher.DispatchController | undefined;
    let settled = false;
    const settle = (failure: DeliveryError) => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      resolve(status ?? failure);
    };
    const timer = setTimeout(() => {
      settle('timeout');
      // Without a connection there is nothing to abort yet: the request is aborted when it gets one.
      controller?.abort(new AbortedError());
    }, totalMs);
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart(started) {
        controller = started;
        // Aborts before a byte of the request is written.
        if (settled) started.abort(new AbortedError());
      },
      onResponseStart(_reading, statusCode) {
        // Informational answers come before the final one.
        if (statusCode >= FINAL_STATUS_MIN) status = statusCode;
      },
      onResponseData(reading, chunk) {
        bytes += chunk.length;
        if (bytes > limits.callbackReadBytesMax) reading.abort(new AbortedError());
      },
      onResponseEnd: () => settle('broken-answer'),
      onResponseError: (_reading, error) => settle(errorOf(error)),
    };
    try {
      agent.dispatch(request, handler);
    } catch (error) {
      settle(errorOf(error));
    }
  });
}

/** Makes the sender of callbacks. It does not follow redirects: the agent does not by itself, and nothing here enables it. */
export function createCallbackPoster(options: PosterOptions): CallbackPoster {
  const proxy =
    options.proxyUrl === undefined
      ? undefined
      : createProxyDial(options.proxyUrl, { ...options, connectMs: options.connectMs ?? limits.callbackConnectMs });
  const agent = createGuardedAgent(proxy ? { ...options, dial: proxy.dial, throughProxy: true } : options);

  const totalMs = options.totalMs ?? limits.callbackTotalMs;

  async function post(callback: CallbackPost): Promise<PostResult> {
    const startedAt = performance.now();
    const sinceMs = () => Math.round(performance.now() - startedAt);
    if (checkTargetUrl(callback.url, options) !== undefined) {
      return { kind: 'no-answer', error: 'target-refused', ms: sinceMs() };
    }
    const outcome = await dispatch(agent, toRequest(callback), totalMs);
    return typeof outcome === 'number'
      ? { kind: 'answered', status: outcome, ms: sinceMs() }
      : { kind: 'no-answer', error: outcome, ms: sinceMs() };
  }

  const close = async () => {
    await agent.destroy();
    await proxy?.close();
  };
  return { post, close };
}
