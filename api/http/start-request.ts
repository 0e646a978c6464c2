import type { RequestHandler } from 'express';
import { isServerError } from '../../shared/contract/gateway-error.js';
import { defined } from '../../shared/domain/defined.js';
import type { ApiDeps } from '../deps.js';
import { clientAddressReader } from '../limits/client-address.js';
import { answerLimitMs, createAnswerLimit } from './answer-limit.js';
import { answerError } from './error-middleware.js';
import { keepState, RequestState } from './request-state.js';

/** Status in the log for a caller that disconnected before its answer was complete (nginx uses the same number). */
const STATUS_CALLER_GONE = 499;

/** The first middleware: trace id, security headers, and at the end one log line and one metric per request. */
export function startRequest(
  deps: Pick<ApiDeps, 'config' | 'log' | 'metrics'>,
  setSecurityHeaders: RequestHandler,
): RequestHandler {
  const addressOf = clientAddressReader(deps.config.trustedProxies);
  const answerLimit = createAnswerLimit(answerLimitMs(deps.config.responseWaitMs), answerError);
  return (request, response, next) => {
    const state = new RequestState(request, deps.log, addressOf(request));
    keepState(response, state);
    response.setHeader('X-Trace-Id', state.traceId);
    response.setHeader('Cache-Control', 'no-store');
    answerLimit.begin(request, response);
    response.once('close', () => {
      answerLimit.end(response);
      const ms = Math.round((performance.now() - state.startedAt) * 10) / 10;
      const status = response.writableFinished ? response.statusCode : STATUS_CALLER_GONE;
      const { method } = request;
      deps.metrics.request({ method, route: state.route, status }, ms / 1000);
      const level = isServerError(status) ? 'warn' : state.quiet ? 'debug' : 'info';
      deps.log[level]('request.completed', {
        method,
        ...state.ids(),
        route: state.route,
        status,
        ms,
        ...defined({ merchantId: state.merchantId, code: state.code, reason: state.reason }),
      });
    });
    setSecurityHeaders(request, response, next);
  };
}
