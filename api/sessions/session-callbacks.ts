/** What was sent about a session (how a tokenization ended), and sending it again. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import { mayUseMerchant, type Principal } from '../../shared/domain/principal.js';
import type { Session } from '../../shared/domain/session/session.js';
import { replayEvent } from '../payments/payment-callbacks.js';
import type { Caller } from '../payments/payment-deps.js';
import type { SessionDeps } from './session-deps.js';

type Deps = Pick<SessionDeps, 'sessions' | 'deliveries' | 'hints' | 'clock'>;

/**
 * The session as this caller may see it. Entries of links are in no list and not found here either.
 * @throws {GatewayError} `not-found`, the same for an unknown id, another client's, and a merchant not granted.
 */
async function readSession({ sessions }: Deps, sessionId: string, principal: Principal): Promise<Session> {
  const session = await sessions.findById(sessionId);
  const visible =
    session &&
    session.paymentLink === undefined &&
    mayUseMerchant(principal, { id: session.merchantId, clientId: session.clientId });
  if (!visible) throw new GatewayError('not-found', { message: 'Session not found.' });
  return session;
}

export function makeSessionCallbackUseCases(deps: Deps) {
  return {
    /** @throws {GatewayError} `not-found` */
    readSession: (sessionId: string, principal: Principal) => readSession(deps, sessionId, principal),
    /** @throws {GatewayError} `not-found` */
    readSessionCallbacks: async (sessionId: string, principal: Principal): Promise<Delivery[]> => {
      await readSession(deps, sessionId, principal);
      return deps.deliveries.findByPayment(sessionId);
    },
    /** @throws {GatewayError} `not-found` when there is no such session, or it has no such event. */
    replaySessionCallback: async (
      { sessionId, eventId }: { readonly sessionId: string; readonly eventId: string },
      caller: Pick<Caller, 'principal' | 'traceId'>,
    ): Promise<Delivery> => {
      await readSession(deps, sessionId, caller.principal);
      return replayEvent(deps, { ownerId: sessionId, eventId }, caller.traceId);
    },
  };
}

type SessionCallbackUseCases = ReturnType<typeof makeSessionCallbackUseCases>;

declare module '../deps.js' {
  interface UseCases extends SessionCallbackUseCases {}
}
