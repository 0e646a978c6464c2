/**
 * The last bound of an answer, whatever delays it: `503` before the connection would be cut as idle. The handler goes on, but its later
 * answer is dropped, so the caller does not know whether a payment was stored.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';

/** The longest time that an answer may take (ms): storing, waiting for the outcome, and ending that wait, each at its longest. */
export const answerLimitMs = (
  responseWaitMs: number,
  { mongoOperationMs, answerPendingMs }: Readonly<Record<'mongoOperationMs' | 'answerPendingMs', number>> = limits,
): number => mongoOperationMs + responseWaitMs + answerPendingMs;

export interface AnswerLimit {
  begin(request: IncomingMessage, response: ServerResponse): void;
  end(response: ServerResponse): void;
}

interface Call {
  readonly request: IncomingMessage;
  sinceMs: number;
}

/**
 * One timer serves all calls, and none runs while there is no call: a timer for each call would cost more than everything else that is
 * done for a bound that is hardly ever met.
 */
export function createAnswerLimit(
  limitMs: number,
  answer: (error: GatewayError, request: IncomingMessage, response: ServerResponse) => void,
): AnswerLimit {
  const calls = new Map<ServerResponse, Call>();
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    const nowMs = performance.now();
    for (const [response, call] of calls) {
      // A body that is still arriving has bounds of its own.
      if (!call.request.complete) call.sinceMs = nowMs;
      if (nowMs - call.sinceMs < limitMs) continue;
      calls.delete(response);
      const reason = `no answer within ${limitMs} ms`;
      answer(
        new GatewayError('timeout', { internal: reason, retryAfterSeconds: limits.retryAfterSeconds }),
        call.request,
        response,
      );
    }
    if (calls.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };

  return {
    begin(request, response) {
      calls.set(response, { request, sinceMs: performance.now() });
      timer ??= setInterval(look, Math.min(limits.answerLookMs, limitMs)).unref();
    },
    end: (response) => void calls.delete(response),
  };
}
