import { refKey } from '../../shared/domain/payment/plan-operation.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { ApiDeps } from '../deps.js';
import { duplicateReference } from '../http/duplicate-reference.js';
import { statusOfSession } from './present-session.js';

type Deps = Pick<ApiDeps, 'sessions' | 'reservations' | 'payments' | 'instruments' | 'references' | 'clock'>;

/** Reserves the payment reference. A session that cannot get it is removed again. @throws {GatewayError} `duplicated-reference-id` */
export async function reserveReference(deps: Deps, session: Session): Promise<Session> {
  if ((await deps.reservations.reserve(session)) === 'reserved') return session;
  await deps.sessions.remove(session);
  const key = refKey('payment', session.paymentRequest?.referenceId ?? '');
  const existing = await deps.payments.findByRefKey(session.clientId, key);
  throw duplicateReference(session, {
    id: existing?._id ?? '',
    status: existing?.status ?? 'reserved',
    sameRequest: false,
    merchantId: existing?.merchantId,
  });
}

/**
 * Stores a session and reserves its payment reference. The session of a payer at a link reserves it with its first try.
 * @throws {GatewayError} `duplicated-reference-id`
 */
export async function storeSession(deps: Deps, session: Session): Promise<Session> {
  if ((await deps.sessions.insert(session)) === 'inserted') {
    // The reference of a link's session is free: its first try reserves it.
    return session.paymentLink ? session : reserveReference(deps, session);
  }
  const own = await deps.sessions.findById(session._id);
  if (own) return reserveReference(deps, own);
  const existing = await deps.sessions.findByReference(session.clientId, session.referenceId);
  throw duplicateReference(session, {
    id: existing?._id ?? '',
    status: existing ? await statusOfSession(deps, existing) : '',
    sameRequest: await deps.references.isSame(
      session.clientId,
      `session:${session.referenceId}`,
      existing?.requestDigest,
      session.requestDigest,
    ),
    merchantId: existing?.merchantId,
  });
}
