/** `POST /v1/sessions` and `GET /v1/sessions`. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { refKey } from '../../shared/domain/payment/plan-operation.js';
import type { Principal } from '../../shared/domain/principal.js';
import { sessionStatusAt } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import { idFrom, newSeed } from '../../shared/ids.js';
import { checkTargetUrl } from '../../shared/outbound/target-url.js';
import { duplicateReference } from '../http/duplicate-reference.js';
import { refuseUnchargeableSession } from '../merchants/check-chargeable.js';
import { digestBody } from '../payments/body-digest.js';
import { checkCustomer, redirectProblem, refuseSuspended } from '../payments/check-payment-request.js';
import type { Caller } from '../payments/payment-deps.js';
import { checkDynamicShipping } from './hosted-wallet.js';
import { newSession } from './new-session.js';
import { presentSession } from './present-session.js';
import type { SessionQuery } from './session.schema.js';
import { findUsableCard } from './session-cards.js';
import type { SessionDeps } from './session-deps.js';
import type { SessionBody } from './session-request.schema.js';
import { offeredTransfer } from './transfer-session.js';

type Asker = Pick<Caller, 'principal' | 'traceId' | 'idempotency'>;

const MINUTE_MS = 60_000;

/** @throws {GatewayError} `request-validation-errors` naming every URL that this installation cannot use. */
function checkSessionUrls({ config }: SessionDeps, { settings }: SessionBody): void {
  const rules = { environment: config.environment, allowPrivateNetworks: config.callbackAllowPrivateNetworks };
  const params: Record<string, string[]> = {};
  for (const [name, url] of Object.entries(settings?.callbacks ?? {})) {
    const problem = url === undefined ? undefined : checkTargetUrl(url, rules);
    if (problem) params[`settings.callbacks.${name}`] = [problem];
  }
  const { defaultUrl, cancelUrl } = settings?.redirects ?? {};
  for (const [name, url] of Object.entries({ defaultUrl, cancelUrl })) {
    const problem = url === undefined ? undefined : redirectProblem(url, config.environment);
    if (problem) params[`settings.redirects.${name}`] = [problem];
  }
  if (Object.keys(params).length > 0) throw new GatewayError('request-validation-errors', { params });
}

/** Holds the payment reference; a session that cannot have it never was. */
async function reserve(deps: SessionDeps, session: Session): Promise<Session> {
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
 * Stores a session that holds its payment reference; one of a link's entries does so with its first try.
 * @throws {GatewayError} `duplicated-reference-id`
 */
export async function storeSession(deps: SessionDeps, session: Session): Promise<Session> {
  if ((await deps.sessions.insert(session)) === 'inserted') {
    // Nobody else can have the reference of an entry of a link: its first try takes it.
    return session.paymentLink ? session : reserve(deps, session);
  }
  const own = await deps.sessions.findById(session._id);
  if (own) return reserve(deps, own);
  const existing = await deps.sessions.findByReference(session.clientId, session.referenceId);
  throw duplicateReference(session, {
    id: existing?._id ?? '',
    status: existing ? sessionStatusAt(existing, deps.clock.now()) : '',
    sameRequest: await deps.references.isSame(
      session.clientId,
      `session:${session.referenceId}`,
      existing?.requestDigest,
      session.requestDigest,
    ),
    merchantId: existing?.merchantId,
  });
}

/** @throws {GatewayError} `request-validation-errors` when nothing is left that the payer could pay with. */
async function checkMethodTypes(deps: SessionDeps, session: Session): Promise<void> {
  if (session.settings.paymentMethodTypes.includes('card') || (await offeredTransfer(deps, session))) return;
  const reason = 'the merchant has no bank transfer for this payment';
  throw new GatewayError('request-validation-errors', { params: { 'settings.paymentMethodTypes': [reason] } });
}

async function createSession(deps: SessionDeps, body: SessionBody, asker: Asker): Promise<Session> {
  const { principal, idempotency, traceId } = asker;
  const id = idFrom('ses', idempotency?.seed ?? newSeed());
  // A former call with the same key may have made it.
  const made = idempotency?.resumed ? await deps.sessions.findById(id) : undefined;
  if (made) return reserve(deps, made);
  await refuseSuspended(deps, body.merchantId);
  checkSessionUrls(deps, body);
  checkDynamicShipping(deps, body);
  await checkCustomer(deps, principal.clientId, body.customerId);
  const { config } = deps;
  const walletA = await deps.wallets.integrations.find(body.merchantId, 'wallet-a-pay');
  const session = newSession(body, {
    id,
    principal,
    traceId,
    requestDigest: digestBody(config.digestKey, body),
    now: deps.clock.now(),
    lifetimeMs: (config.sessionLifetimeMinutes * MINUTE_MS) / config.timeScale,
    walletMode: walletA?.enabled ? walletA.mode : undefined,
  });
  await checkMethodTypes(deps, session);
  await refuseUnchargeableSession(deps, session);
  if (session.token !== undefined) await findUsableCard(deps, session, session.token);
  return storeSession(deps, session);
}

export function makeSessionUseCases(deps: SessionDeps) {
  return {
    createSession: (body: SessionBody, asker: Asker) => createSession(deps, body, asker),
    listSessions: ({ page, size, ...filter }: SessionQuery, principal: Principal) =>
      deps.sessions.list(principal, filter, { page, size }),
    /** With its hosted URLs, which are made anew each time. */
    presentSession: (session: Session) =>
      presentSession(
        session,
        { publicBaseUrl: deps.config.publicBaseUrl, token: deps.sessionTokens.tokenOf(session) },
        deps.clock.now(),
      ),
  };
}

type SessionUseCases = ReturnType<typeof makeSessionUseCases>;

declare module '../deps.js' {
  interface UseCases extends SessionUseCases {}
}
