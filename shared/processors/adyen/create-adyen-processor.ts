/** The adapter to Adyen: Checkout API, version 71 (docs/adyen.md). */
import { type Clock, systemClock } from '../../clock.js';
import type { Log } from '../../log.js';
import { createHttpExchange, type HttpExchange } from '../http-exchange.js';
import type { AuthorizeRequest, ProbeResult, Processor, ProcessorTraits, SendResult } from '../processor.js';
import { authorize } from './authorize.js';
import type { AdyenContext } from './exchange.js';
import { inquire } from './inquire.js';
import { modify, reverse } from './modify.js';

const ADYEN = 'adyen';

/** Names of the credentials that each merchant has at Adyen. `hmacKey` is for its notifications: `read-adyen-update.ts`. */
export const adyenCredentials = ['merchantAccount', 'apiKey', 'hmacKey'] as const;

export interface AdyenOptions {
  /** Address of the API with its version. */
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly log: Log;
  readonly clock?: Clock;
}

const traits: ProcessorTraits = {
  dedupes: true,
  tombstones: false,
  refundNeedsPan: false,
  inquiresBySending: true,
  refuses: ['click-to-pay'],
};

const SERVER_ERROR = 500;

/** Sends a request without a key, since keys belong to merchants. Adyen's refusal shows that it answers. */
async function probe(http: HttpExchange): Promise<ProbeResult> {
  const exchange = await http.exchange({ method: 'POST', path: '/paymentMethods', body: {} });
  if (exchange.kind !== 'answered') return { kind: 'unreachable', internal: exchange.internal };
  const { status } = exchange;
  if (status >= SERVER_ERROR) return { kind: 'unreachable', internal: `it answers with status ${status}` };
  return { kind: 'reachable', detail: "it answers; keys are the merchants' own, not tried" };
}

export function createAdyenProcessor({ baseUrl, timeoutMs, log, clock = systemClock }: AdyenOptions) {
  const http = createHttpExchange({ baseUrl, timeoutMs });
  const context: AdyenContext = { http, log, now: () => clock.now() };
  const sending = new Map<string, Promise<SendResult>>();

  /** Joins concurrent calls with the same key to one request: Adyen refuses a second request while it processes the first. */
  function once(request: AuthorizeRequest): Promise<SendResult> {
    const running = sending.get(request.key);
    if (running) return running;
    const started = authorize(context, request).finally(() => sending.delete(request.key));
    sending.set(request.key, started);
    return started;
  }

  return {
    code: ADYEN,
    traits,
    merchantCredentials: adyenCredentials,
    accountCredential: 'merchantAccount',
    authorize: once,
    inquire: (request) => inquire(context, request),
    reverse: (request) => reverse(context, request),
    capture: modify(context, 'capture'),
    cancel: modify(context, 'cancel'),
    refund: modify(context, 'refund'),
    probe: () => probe(http),
    close: () => http.close(),
  } satisfies Processor;
}
