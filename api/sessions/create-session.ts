import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import type { Session } from '../../shared/domain/session/session.js';
import { idFrom, newSeed } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import { type Asker, answer, defineEndpoint } from '../http/define-endpoint.js';
import { refuseUnchargeableSession } from '../merchants/check-chargeable.js';
import { digestBody } from '../payments/body-digest.js';
import { callbackProblem, checkCustomer, redirectProblem, refuseSuspended } from '../payments/check-payment-request.js';
import { checkDynamicShipping } from './hosted-wallet.js';
import { newSession } from './new-session.js';
import { presentSession } from './present-session.js';
import { sessionSchema } from './session.schema.js';
import { findCardOfSession } from './session-cards.js';
import { checkoutRequest, checkoutSession, tokenizationRequest, tokenizationSession } from './session-examples.js';
import { type SessionBody, sessionRequestSchema } from './session-request.schema.js';
import { reserveReference, storeSession } from './store-session.js';
import { configuredTransfer } from './transfer-session.js';

/** @throws {GatewayError} `request-validation-errors` naming every URL that this installation cannot use. */
function checkSessionUrls({ config }: ApiDeps, { settings }: SessionBody): void {
  const params: Record<string, string[]> = {};
  for (const [name, url] of Object.entries(settings?.callbacks ?? {})) {
    const problem = url === undefined ? undefined : callbackProblem(url, config);
    if (problem) params[`settings.callbacks.${name}`] = [problem];
  }
  const { defaultUrl, cancelUrl } = settings?.redirects ?? {};
  for (const [name, url] of Object.entries({ defaultUrl, cancelUrl })) {
    const problem = url === undefined ? undefined : redirectProblem(url, config.environment);
    if (problem) params[`settings.redirects.${name}`] = [problem];
  }
  if (Object.keys(params).length > 0) throw new GatewayError('request-validation-errors', { params });
}

/** @throws {GatewayError} `request-validation-errors` when no payment method is left for the payer. */
async function checkMethodTypes(deps: ApiDeps, session: Session): Promise<void> {
  if (session.settings.paymentMethodTypes.includes('card') || (await configuredTransfer(deps, session))) return;
  const reason = 'the merchant has no bank transfer for this payment';
  throw invalidField('settings.paymentMethodTypes', reason);
}

/** @throws {GatewayError} as the endpoint declares */
export async function createSession(deps: ApiDeps, body: SessionBody, asker: Asker): Promise<Session> {
  const { principal, idempotency, traceId } = asker;
  const id = idFrom('ses', idempotency?.seed ?? newSeed());
  // An earlier call with the same key may have created the session.
  const made = idempotency?.resumed ? await deps.sessions.findById(id) : undefined;
  if (made) return reserveReference(deps, made);
  await refuseSuspended(deps, body.merchantId);
  checkSessionUrls(deps, body);
  checkDynamicShipping(deps, body);
  await checkCustomer(deps, principal.clientId, body.customerId);
  const { config } = deps;
  const walletA = await deps.walletIntegrations.find(body.merchantId, 'wallet-a-pay');
  const session = newSession(body, {
    id,
    principal,
    traceId,
    requestDigest: digestBody(config.digestKey, body),
    now: deps.clock.now(),
    config,
    walletMode: walletA?.enabled ? walletA.mode : undefined,
  });
  await checkMethodTypes(deps, session);
  const only = session.token === undefined ? undefined : await findCardOfSession(deps, session, session.token);
  await refuseUnchargeableSession(deps, session, only);
  return storeSession(deps, session);
}

export const createSessionEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/sessions',
  operationId: 'createSession',
  summary: 'Create a checkout or tokenization session',
  description:
    'Send the payer to the `href` of an action: card data never touches your servers. A checkout reserves the reference of ' +
    'its payment; each attempt of the payer is a separate payment with that reference, and a decline leaves the session open for another attempt. The result is sent by callback. Callbacks are not signed: read the payment before you act. Never rely on ' +
    'the redirect.',
  tags: ['Sessions'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  idempotent: true,
  answerNotStored: true,
  request: { body: sessionRequestSchema },
  responses: { 200: sessionSchema },
  errors: [
    'payment-invalid-amount',
    'payment-invalid-invoice-number',
    'currency-not-found',
    'invalid-browser-details',
    'invalid-cardholder',
    'invalid-card-payment-method-token',
    'duplicated-reference-id',
  ],
  examples: {
    request: { checkout: checkoutRequest, tokenization: tokenizationRequest },
    response: { 200: { checkout: checkoutSession, tokenization: tokenizationSession } },
  },
  async handle(context, deps) {
    const session = await presentSession(deps, await createSession(deps, context.body, context));
    return context.idempotency?.resumed ? answer(session, { headers: { 'Idempotent-Replayed': 'true' } }) : session;
  },
});
