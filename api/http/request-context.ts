import type { Request, Response } from 'express';
import type { Principal } from '../../shared/domain/principal.js';
import type { Log } from '../../shared/log.js';
import type { Context, Idempotency } from './define-endpoint.js';
import { type RequestState, stateOf } from './request-state.js';

/** The handler's view of a request. */
export class RequestContext implements Context {
  readonly #request: Request;
  readonly #response: Response;
  readonly #state: RequestState;

  constructor(
    request: Request,
    response: Response,
    readonly idempotency?: Idempotency,
  ) {
    this.#request = request;
    this.#response = response;
    this.#state = stateOf(response);
  }

  get principal(): Principal {
    if (!this.#state.principal) throw new Error(`${this.#state.route} is open to all: it has no principal`);
    return this.#state.principal;
  }

  get params(): unknown {
    return this.#request.params;
  }

  get query(): unknown {
    return this.#request.query;
  }

  get body(): unknown {
    return this.#request.body;
  }

  get traceId(): string {
    return this.#state.traceId;
  }

  get log(): Log {
    return this.#state.log;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name.toLowerCase()];
    return Array.isArray(value) ? value[0] : value;
  }

  onFlushed(callback: (flushed: boolean) => void): void {
    const response = this.#response;
    const report = () => {
      // A fault of the callback is ours and comes after the answer. It must not end the process.
      try {
        callback(response.writableFinished);
      } catch (error) {
        this.log.error('request.failed-after-answer', { error });
      }
    };
    if (response.closed) queueMicrotask(report);
    // `close` also follows a finished answer, but on a kept-alive connection only `finish` is certain to come soon.
    else {
      let reported = false;
      const once = () => {
        if (!reported) report();
        reported = true;
      };
      response.once('finish', once);
      response.once('close', once);
    }
  }
}
