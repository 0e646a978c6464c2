/** What the HTTP layer knows about one request, from its arrival to its line in the log. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Principal } from '../../shared/domain/principal.js';
import { newTraceId } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';
import { numbersIn } from '../payments/numbers-in-text.js';

const CLIENT_TRACE_ID = /^[A-Za-z0-9-]{8,64}$/;

/** First digit of the numbers of payment cards (ISO/IEC 7812): milliseconds and ids that grow with time begin with 1. */
const FIRST_OF_CARD = /^[2-9]/;

/**
 * Whether the caller's own trace id is kept. It stays beside ours and never replaces it (docs/security.md#trace-ids). The mask of the log
 * leaves digits beside letters alone, as ids have them, so an id that holds a card number is not kept.
 */
const isKept = (inbound: unknown): inbound is string =>
  typeof inbound === 'string' &&
  CLIENT_TRACE_ID.test(inbound) &&
  !numbersIn(inbound).some((number) => FIRST_OF_CARD.test(number));

/** Called once at the end of the call: with the handler's result, or with the error that is answered. */
export interface AuditedCall {
  done(result: unknown): void;
  refused(error: GatewayError): void;
}

export class RequestState {
  readonly traceId = newTraceId();
  readonly startedAt = performance.now();
  readonly clientTraceId: string | undefined;
  /** Pattern of the route; paths hold ids and are not logged. */
  route = 'unmatched';
  quiet = false;
  /** Builds the error body when the endpoint has its own shape of errors. */
  presentError: ((error: GatewayError) => unknown) | undefined;
  /** Sends the error as a page to a payer's browser; undefined when errors are JSON. */
  sendErrorPage: ((error: GatewayError) => void) | undefined;
  principal: Principal | undefined;
  merchantId: number | undefined;
  /** Called at the end of a call that changes something. */
  audited: AuditedCall | undefined;
  /** Code and internal text of the error that was answered. */
  code: string | undefined;
  reason: string | undefined;
  readonly #log: Log;
  #childLog: Log | undefined;

  /** @param remoteAddress of the caller, as far as it can be trusted. */
  constructor(
    request: IncomingMessage,
    log: Log,
    readonly remoteAddress: string,
  ) {
    const inbound = request.headers['x-trace-id'];
    this.clientTraceId = isKept(inbound) ? inbound : undefined;
    this.#log = log;
  }

  /** Created on first use: most requests write only their closing line. */
  get log(): Log {
    this.#childLog ??= this.#log.with(this.ids());
    return this.#childLog;
  }

  ids() {
    return {
      traceId: this.traceId,
      ...(this.clientTraceId !== undefined && { clientTraceId: this.clientTraceId }),
      ...(this.principal && { clientId: this.principal.clientId, keyId: this.principal.keyId }),
    };
  }
}

const STATE = Symbol('request state');
type Carrier = ServerResponse & { [STATE]?: RequestState };

export function keepState(response: ServerResponse, state: RequestState): void {
  (response as Carrier)[STATE] = state;
}

/** @throws {Error} when the request did not pass `startRequest`: the app was assembled wrongly. */
export function stateOf(response: ServerResponse): RequestState {
  const state = (response as Carrier)[STATE];
  if (!state) throw new Error('startRequest must be the first middleware');
  return state;
}
