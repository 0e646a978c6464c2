/**
 * Calls of the official client over the gateway's own HTTP transport, so that deadline, pool and the result of a call are the gateway's.
 * The transport also avoids two behaviors of the client that are unsafe for payments: it retries after a broken connection although
 * retries are off, and it takes a 5xx whose body is no error for a success.
 */
import type { Stripe } from 'stripe';
import { limits } from '../../../config/limits.js';
import type { NotSent, Unknown } from '../answers.js';
import { createHttpExchange, type Exchange, type HttpExchange } from '../http-exchange.js';

/** Stripe received the request and refused it: it had no effect. */
export interface Fault {
  readonly status: number;
  readonly type?: string;
  readonly code?: string;
  readonly declineCode?: string;
  readonly adviceCode?: string;
  readonly networkDeclineCode?: string;
  readonly networkAdviceCode?: string;
  /** The PaymentIntent of a declined payment, not validated yet. */
  readonly intent?: unknown;
}

export interface UnknownCall extends Unknown {
  /** Stripe repeats an error that it stored under this idempotency key: the request is over, and the same key brings no other answer. */
  readonly isRepeated?: true;
}

export type CallResult =
  | { readonly kind: 'answer'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly fault: Fault }
  | NotSent
  | UnknownCall;

/** The Stripe account that is called. */
export interface Account {
  readonly secretKey: string;
  /** A connected account, called with the key of its platform. */
  readonly stripeAccount?: string;
}

export type Call = (account: Account, work: (client: Stripe) => Promise<unknown>) => Promise<CallResult>;

/** Account, call function and deadline (ms) of one operation. */
export interface CallContext {
  readonly account: Account;
  readonly call: Call;
  readonly timeoutMs: number;
}

/** Carries the transport's result through the client's own errors. It has none of the codes for which the client retries. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  constructor(readonly known: NotSent | UnknownCall) {
    super(known.internal);
  }
}

const STATUS_SUCCESS_MAX = 299;
const STATUS_CONFLICT = 409;
const STATUS_TOO_MANY = 429;

/** Statuses of Stripe's refusals (docs.stripe.com/api/errors). Others, such as 408, come from a proxy or leave the outcome unknown. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, STATUS_CONFLICT, STATUS_TOO_MANY]);
/** Types of Stripe's refusals; after an `api_error` the outcome is unknown. An error without a type does not come from Stripe. */
const refusedTypes: ReadonlySet<unknown> = new Set([
  'card_error',
  'invalid_request_error',
  'idempotency_error',
  'authentication_error',
  'rate_limit_error',
]);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** @throws {NoAnswer} when the exchange does not tell the outcome of the request */
function answered(exchange: Exchange): Extract<Exchange, { kind: 'answered' }> {
  if (exchange.kind !== 'answered') throw new NoAnswer(exchange);
  const { status, json, headers } = exchange;
  const error = isObject(json) && isObject(json['error']) ? json['error'] : undefined;
  const isRefusal = refusedStatuses.has(status) && refusedTypes.has(error?.['type']);
  const sound = status <= STATUS_SUCCESS_MAX ? isObject(json) && !error : isRefusal;
  if (!sound) {
    const isRepeated = headers['idempotent-replayed'] === 'true';
    const internal = `status ${status}${isRepeated ? ', repeated' : ''}`;
    throw new NoAnswer({ kind: 'unknown', internal, ...(isRepeated && { isRepeated }) });
  }
  return exchange;
}

function overExchange(http: HttpExchange) {
  return {
    getClientName: () => 'gateway',
    async makeRequest(
      _host: string,
      _port: string,
      path: string,
      method: string,
      headers: object,
      requestData: string,
    ) {
      const named = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'content-length');
      const exchange = answered(
        await http.exchange({
          method: method === 'POST' ? 'POST' : 'GET',
          path,
          headers: Object.fromEntries(named.map(([name, value]) => [name, String(value)])),
          ...(method === 'POST' && { text: requestData }),
          bytesMax: method === 'POST' ? limits.processorResponseBytesMax : limits.processorListBytesMax,
        }),
      );
      return {
        getStatusCode: () => exchange.status,
        getHeaders: () => exchange.headers as Record<string, string>,
        getRawResponse: () => ({}),
        toStream: () => undefined,
        toJSON: async () => exchange.json,
      };
    },
  };
}

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

function faultOf(status: number, raw: Record<string, unknown>): Fault {
  const found = {
    type: text(raw['type']),
    code: text(raw['code']),
    declineCode: text(raw['decline_code']),
    adviceCode: text(raw['advice_code']),
    networkDeclineCode: text(raw['network_decline_code']),
    networkAdviceCode: text(raw['network_advice_code']),
    intent: raw['payment_intent'],
  };
  return {
    status,
    ...(Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined)) as object),
  };
}

/** Returns the result of a call for which the client threw. Keeps codes only: the client's messages can quote what was sent. */
function resultOfError(error: unknown): CallResult {
  const { detail, statusCode, raw } = (error ?? {}) as { detail?: unknown; statusCode?: unknown; raw?: unknown };
  const known = (detail as { known?: NotSent | UnknownCall } | undefined)?.known;
  if (known !== undefined) return known;
  if (typeof statusCode !== 'number' || !isObject(raw))
    return { kind: 'unknown', internal: 'the answer cannot be read' };
  const fault = faultOf(statusCode, raw);
  // Another request was sent under this key, or is still being processed.
  if (fault.type === 'idempotency_error' || statusCode === STATUS_CONFLICT) {
    return { kind: 'unknown', internal: `the key is in use: ${fault.code ?? fault.type ?? ''}` };
  }
  // The limit of one account says nothing about the route, which others use too.
  if (statusCode === STATUS_TOO_MANY)
    return { kind: 'not-sent', internal: `turned away: ${fault.code ?? 'rate limit'}`, blocked: 'route' };
  return { kind: 'refused', fault };
}

/** Opens the connection pool and keeps one client for each secret key. The package `stripe` is loaded with the first call. */
export function connect({ baseUrl, timeoutMs }: { baseUrl: string; timeoutMs: number }) {
  const http = createHttpExchange({ baseUrl, timeoutMs });
  const clients = new Map<string, Stripe>();

  async function clientOf(secretKey: string): Promise<Stripe> {
    const known = clients.get(secretKey);
    if (known) return known;
    const { Stripe: Client } = await import('stripe');
    const client = new Client(secretKey, {
      httpClient: overExchange(http),
      maxNetworkRetries: 0,
      telemetry: false,
      timeout: timeoutMs,
    });
    if (clients.size >= limits.processorCredentialsCached) clients.clear();
    clients.set(secretKey, client);
    return client;
  }

  const call: Call = async ({ secretKey }, work) => {
    const client = await clientOf(secretKey);
    try {
      return { kind: 'answer', body: await work(client) };
    } catch (error) {
      return resultOfError(error);
    }
  };
  return { call, close: () => http.close() };
}
