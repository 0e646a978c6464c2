/**
 * The merchant and its payers. They send requests, are cut off, repeat as the documentation says, and remember the answers. They
 * never die. What no answer told them they read from the store, which costs no point.
 */
import type { ApiDeps } from '../../api/deps.js';
import type { Caller, Endpoint } from '../../api/http/define-endpoint.js';
import { Answer } from '../../api/http/define-endpoint.js';
import { toGatewayError } from '../../api/http/error-middleware.js';
import { runOnce } from '../../api/http/idempotency.js';
import { keepState, RequestState } from '../../api/http/request-state.js';
import type { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Api } from './gateway.js';
import { CLIENT, silentLog } from './installation.js';
import type { Process } from './process.js';
import type { World } from './world.js';

export const principal = { clientId: CLIENT, keyId: 'key_a', merchants: 'all' } as const;

/** The parts of an answer that the audit needs. */
export interface RecordedAnswer {
  readonly label: string;
  /** The payment that was shown. The caller knows the events up to its `eventSeq`. */
  readonly paymentId?: string;
  readonly eventSeq?: number;
  /** Reference of an accepted operation. */
  readonly operation?: string;
}

type CallResult<T> = { readonly value: T } | { readonly refused: GatewayError } | 'cut-off';

const CUT_OFF_MS = 60_000;
const RETRY_MS = 2_000;
const RETRY_MS_MAX = 60_000;
const TRIES_MAX = 40;
const SERVER_ERROR = 500;

/** Route of `POST /v1/payments`, as the code that runs a request once per key expects it. */
const idempotent = {
  idempotent: true,
  method: 'post',
  path: '/v1/payments',
  responses: { 200: {} },
} as unknown as Endpoint;

export class Client {
  readonly process: Process;
  readonly answers: RecordedAnswer[] = [];
  #calls = 0;
  #traces = 0;

  /** @param apis returns the API processes that live */
  constructor(
    readonly world: World,
    private readonly apis: () => readonly Api[],
    private readonly alternatesApis: boolean,
    /** Returns how many events a payment has had. */
    private readonly eventSeqOf: (paymentId: string) => number | undefined,
  ) {
    this.process = world.spawn('client');
  }

  pause(ms: number): Promise<void> {
    return this.world.pause(this.process, ms);
  }

  waitUntil(condition: () => boolean): Promise<void> {
    return this.world.waitUntil(this.process, condition);
  }

  /** Repeats a request until an answer says how it ended. */
  async request<T>(
    label: string,
    run: (deps: ApiDeps, caller: Caller) => Promise<T>,
    key?: string,
  ): Promise<T | GatewayError> {
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      const ended = await this.#call(label, run, key);
      if (ended !== 'cut-off') {
        if ('value' in ended) return ended.value;
        const { refused } = ended;
        if (refused.code === 'internal-error') this.world.violated('500', `${label}: ${String(refused.cause)}`);
        if (refused.status < SERVER_ERROR && refused.retryAfterSeconds === undefined) return refused;
      }
      await this.pause(Math.min(RETRY_MS * 2 ** tries, RETRY_MS_MAX));
    }
    this.world.violated('end', `${label} was never answered`);
    throw new Error('never answered');
  }

  #call<T>(label: string, run: (deps: ApiDeps, caller: Caller) => Promise<T>, key?: string): Promise<CallResult<T>> {
    const { world } = this;
    const apis = this.apis();
    const api = world.faultPlan.randomized
      ? world.pick(apis)
      : apis[this.alternatesApis ? this.#calls % apis.length : 0];
    this.#calls += 1;
    return new Promise((resolve) => {
      let hasEnded = false;
      const end = (ended: CallResult<T>) => {
        if (hasEnded) return;
        hasEnded = true;
        world.post(this.process, () => resolve(ended));
      };
      // No process is running: the connection is refused.
      if (!api) return world.postAfter(this.process, RETRY_MS, () => end('cut-off'));
      api.process.onDeath.push(() => end('cut-off'));
      world.after(CUT_OFF_MS, () => end('cut-off'));
      world.startTask(api.process, () => this.#serve(api, label, run, key, end));
    });
  }

  async #serve<T>(
    { process, deps }: Api,
    label: string,
    run: (deps: ApiDeps, caller: Caller) => Promise<T>,
    key: string | undefined,
    end: (ended: CallResult<T>) => void,
  ): Promise<void> {
    const flushListeners: ((flushed: boolean) => void)[] = [];
    this.#traces += 1;
    const caller: Caller = {
      principal,
      traceId: `trace-${this.#traces}`,
      log: silentLog,
      onFlushed: (announce) => flushListeners.push(announce),
    };
    let ended: CallResult<T>;
    try {
      const work = (idempotency?: Caller['idempotency']) =>
        run(deps, idempotency ? { ...caller, idempotency } : caller);
      ended = { value: key === undefined ? await work() : await this.#runIdempotently(deps, key, work) };
    } catch (error) {
      ended = { refused: toGatewayError(error) };
    }
    const fault = this.world.passPoint(process, 'answer', `answer ${label}`);
    if (fault === 'dies-before') return this.world.kill(process);
    for (const notify of flushListeners) notify(fault !== 'lost');
    if (fault === 'lost') end('cut-off');
    else {
      this.#recordAnswer(label, ended);
      end(ended);
    }
  }

  /** Runs a request with this `Idempotency-Key` by the product's own code. */
  async #runIdempotently<T>(
    deps: ApiDeps,
    key: string,
    run: (idempotency?: Caller['idempotency']) => Promise<T>,
  ): Promise<T> {
    const request = {
      method: 'POST',
      headers: { 'idempotency-key': key },
      headersDistinct: { 'idempotency-key': [key] },
    };
    const idempotentRequest = { ...request, params: {}, body: { key } } as never;
    const response = {} as never;
    keepState(response, Object.assign(new RequestState({ headers: {} } as never, silentLog, ''), { principal }));
    const handler = { authorize: async () => undefined, run };
    const result = await runOnce(idempotent, idempotentRequest, response, deps.idempotency, handler);
    return (result instanceof Answer ? JSON.parse(String(result.body)) : result) as T;
  }

  #recordAnswer<T>(label: string, ended: CallResult<T>): void {
    if (ended === 'cut-off') return;
    const shown = 'value' in ended ? (ended.value as { readonly _id?: string; readonly eventSeq?: number }) : undefined;
    const params = 'refused' in ended ? ended.refused.params : undefined;
    const id = shown?._id ?? params?.['paymentId']?.[0];
    const paymentId = id?.startsWith('pay_') ? id : undefined;
    // A refusal names its payment, and shows the payment's state.
    const eventSeq = shown?.eventSeq ?? (paymentId === undefined ? undefined : this.eventSeqOf(paymentId));
    this.answers.push({
      label,
      ...(paymentId !== undefined && { paymentId }),
      ...(eventSeq !== undefined && { eventSeq }),
      ...('value' in ended && { operation: label }),
    });
  }
}
