/** The pool that authenticates payers, and hands on to the processor's pool. */
import type { ThreeDsWorkKind } from '../../shared/domain/payment/payment.js';
import type { Pool } from '../define-worker.js';
import { createPaymentWork } from '../payment-work.js';
import { handleAuthentication } from './authenticate-payment.handler.js';
import { handleConclusion } from './conclude-authentication.handler.js';
import type { Claimed, ThreeDsPoolDeps } from './context.js';

/** Twice is once: the provider knows the session and gives the same answer. */
type Handler = (deps: ThreeDsPoolDeps, claimed: Claimed) => Promise<string>;

const handlers = {
  authenticate: handleAuthentication,
  'await-challenge': handleConclusion,
  conclude: handleConclusion,
} as const satisfies Record<ThreeDsWorkKind, Handler>;

export function createThreeDsPool(deps: ThreeDsPoolDeps): Pool {
  const { jobs, sweep, close } = createPaymentWork('threeds', deps, (claimed) => {
    const code = claimed.payment.threeDs?.provider;
    const provider = code === undefined ? undefined : deps.providers.get(code);
    return handlers[claimed.work.kind as ThreeDsWorkKind](deps, { ...claimed, provider });
  });
  return { name: 'threeds', jobs, sweep, close: async () => close() };
}
