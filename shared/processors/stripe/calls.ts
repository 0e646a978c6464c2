/**
 * Calls of the official client, over our own HTTP: its deadline and its pool are ours, and what is known after a call is kept apart.
 * Two habits of the client do not fit money and are kept away from it: a connection that broke is tried again although retries are
 * off, and a 5xx whose body is no error is taken for a success.
 */
import type { Stripe } from 'stripe';
import { limits } from '../../../config/limits.js';
import type { NotSent, Unknown } from '../answers.js';
import { createHttpExchange, type Exchange, type HttpExchange } from '../http-exchange.js';

/** Stripe looked at it and refused it: nothing of it happened. */
export interface Fault {
  readonly status: number;
  readonly type?: string;
  readonly code?: string;
  readonly declineCode?: string;
  readonly adviceCode?: string;
  readonly networkDeclineCode?: string;
  readonly networkAdviceCode?: string;
  /** The PaymentIntent of a declined payment, as it came. */
  readonly intent?: unknown;
}

export type Called =
  | { readonly kind: 'answer'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly fault: Fault }
  | NotSent
  | Unknown;

/** Whose account is called. */
export interface Account {
  readonly secretKey: string;
  /** A connected account, called with the key of its platform. */
  readonly stripeAccount?: string;
}

export type Call = (account: Account, work: (client: Stripe) => Promise<unknown>) => Promise<Called>;

/** What one operation works with. */
export interface Work {
  readonly account: Account;
  readonly call: Call;
  readonly timeoutMs: number;
}

/** What the transport knows, carried through the client's own errors. Its code is none of those that the client tries again for. */
class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
  constructor(readonly known: NotSent | Unknown) {
    super(known.internal);
  }
}

const STATUS_SUCCESS_MAX = 299;
const STATUS_CONFLICT = 409;
const STATUS_TOO_MANY = 429;

/** What Stripe refuses with (docs.stripe.com/api/errors). Others, such as 408, come from something on the way, or say that it may have been done. */
const refusedStatuses: ReadonlySet<number> = new Set([400, 401, 402, 403, 404, STATUS_CONFLICT, STATUS_TOO_MANY]);
/** Types of its errors; `api_error` says nothing about what was asked. An error without one is not of Stripe. */
const refusedTypes: ReadonlySet<unknown> = new Set([
  'card_error',
  'invalid_request_error',
  'idempotency_error',
  'authentication_error',
  'rate_limit_error',
]);

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** @throws {NoAnswer} for everything that says nothing about what was asked */
function answered(exchange: Exchange): Extract<Exchange, { kind: 'answered' }> {
  if (exchange.kind !== 'answered') throw new NoAnswer(exchange);
  const { status, json } = exchange;
  const error = isObject(json) && isObject(json['error']) ? json['error'] : undefined;
  const isRefusal = refusedStatuses.has(status) && refusedTypes.has(error?.['type']);
  const sound = status <= STATUS_SUCCESS_MAX ? isObject(json) && !error : isRefusal;
  if (!sound) throw new NoAnswer({ kind: 'unknown', internal: `status ${status}` });
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

/** What is known after the client threw. Its messages can quote what was sent: codes only. */
function knownOf(error: unknown): Called {
  const { detail, statusCode, raw } = (error ?? {}) as { detail?: unknown; statusCode?: unknown; raw?: unknown };
  const known = (detail as { known?: NotSent | Unknown } | undefined)?.known;
  if (known !== undefined) return known;
  if (typeof statusCode !== 'number' || !isObject(raw))
    return { kind: 'unknown', internal: 'the answer cannot be read' };
  const fault = faultOf(statusCode, raw);
  // Under this key something else was sent, or is being worked on.
  if (fault.type === 'idempotency_error' || statusCode === STATUS_CONFLICT) {
    return { kind: 'unknown', internal: `the key is in use: ${fault.code ?? fault.type ?? ''}` };
  }
  if (statusCode === STATUS_TOO_MANY)
    return { kind: 'not-sent', internal: `turned away: ${fault.code ?? 'rate limit'}` };
  return { kind: 'refused', fault };
}

/** Connections and clients, one for each key. The package is loaded with the first call. */
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
      return knownOf(error);
    }
  };
  return { call, close: () => http.close() };
}
