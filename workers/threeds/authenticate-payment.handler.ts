/**
 * Applies the merchant's 3D Secure rules to a payment. A payment that needs no authentication is handed on to the processor in the same
 * write. For the others the provider is asked: its answer is a proof (then the payment goes on to the processor), a challenge for the
 * payer, or the end. Before that the issuer may inspect the browser of a payer who is at the checkout.
 */

import { limits } from '../../config/limits.js';
import { defined } from '../../shared/domain/defined.js';
import { textOf } from '../../shared/domain/json-metadata.js';
import { planEvaluated } from '../../shared/domain/threeds/evaluate-payment.js';
import { planChallenge, planExpired, planHandOn } from '../../shared/domain/threeds/plan-authentication.js';
import { hasBrowser, methodCompletionOf, planMethod } from '../../shared/domain/threeds/plan-method.js';
import { newThreeDsSessionId } from '../../shared/ids.js';
import type {
  AuthenticationRequest,
  ChallengeWanted,
  MethodAnswer,
  ThreeDsProvider,
} from '../../shared/threeds-providers/provider.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import { isTampered, openCredential, TokenGoneError } from '../open-card.js';
import { type Claimed, planContext, recordResult } from '../payment-work.js';
import type { PoolDeps } from '../pool.js';
import { customerOf, payerOf, RequestNotMadeError } from '../processor-payer.js';
import {
  type AnswerDeps,
  endUnauthenticated,
  failAuthentication,
  failTampered,
  providerOf,
  retryLater,
  settleAnswer,
} from './settle-answer.js';

export type AuthenticationDeps = AnswerDeps &
  Pick<PoolDeps, 'providers' | 'merchants' | 'instruments' | 'customers' | 'publicBaseUrl'>;

const pagesOf = ({ publicBaseUrl }: Pick<PoolDeps, 'publicBaseUrl'>, sessionId: string) => ({
  pageUrl: `${publicBaseUrl}/threeds/challenge/${sessionId}`,
  returnUrl: `${publicBaseUrl}/threeds/return/${sessionId}`,
});

async function toRequest(
  deps: AuthenticationDeps,
  { payment, work }: Claimed,
  sessionId: string,
): Promise<AuthenticationRequest | undefined> {
  const opened = await openCredential(deps, payment);
  if (!('card' in opened)) return undefined;
  const { number, expMonth, expYear, holderName } = opened.card;
  const [merchant, customer] = await Promise.all([
    deps.merchants.findMerchant(payment.merchantId),
    customerOf(deps, payment),
  ]);
  const { recurring, amount, installments, threeDs: { reference, version } = {} } = payment;
  // Known since the issuer inspected the browser. Not sent again after a first try: the server may have forgotten it.
  const looked = reference !== undefined && version !== undefined && work.tries === 0;
  const prepared = looked ? { reference, version } : undefined;
  return {
    sessionId,
    card: { number, expMonth, expYear, ...(holderName !== undefined && { holderName }) },
    amountMinor: amount.totalMinor,
    currency: amount.currency,
    merchantId: payment.merchantId,
    merchantName: merchant?.name ?? '',
    metadata: Object.fromEntries((payment.threeDsSettings?.metadata ?? []).map(({ k, v }) => [k, textOf(v)])),
    browser: payment.browserDetails ?? {},
    payer: payerOf(payment, opened.cardholder, customer),
    purchasedAt: payment.createdAt,
    returnUrl: pagesOf(deps, sessionId).returnUrl,
    ...defined({ installments, recurring, prepared }),
    methodCompletion: methodCompletionOf(payment),
    traceId: payment.traceId,
  };
}

/** Sends the payer to the issuer; without an address to come back to there is no challenge. */
async function startChallenge(deps: AuthenticationDeps, claimed: Claimed, answer: ChallengeWanted, sessionId: string) {
  const { acsUrl, acsTransactionId, version, dsTransactionId, reference } = answer;
  const known = { version, dsTransactionId, transStatus: 'C' } as const;
  if (claimed.payment.redirectUrl === undefined) {
    await endUnauthenticated(deps, claimed, { ...known, status: 'failed', error: 'authentication-required' });
    return 'no-challenge-possible';
  }
  const { pageUrl } = pagesOf(deps, sessionId);
  await recordResult(deps, claimed, (payment) =>
    planChallenge(
      payment,
      { ...known, acsUrl, acsTransactionId, pageUrl, ...(reference !== undefined && { reference }) },
      planContext(deps),
    ),
  );
  return 'challenge';
}

/**
 * Asks whether the issuer wants to inspect the browser of a payer who is at the checkout before the authentication. `ask`: authenticate
 * at once, because the payer is not there, the issuer has had its time, or the provider did not answer.
 */
async function askForMethod(
  { payment, log }: Claimed,
  provider: ThreeDsProvider,
  { card, sessionId, traceId }: AuthenticationRequest,
): Promise<Exclude<MethodAnswer, { kind: 'no-answer' }> | { readonly kind: 'ask' }> {
  if (!hasBrowser(payment) || payment.threeDs?.method) return { kind: 'ask' };
  const found = await provider.findMethod({ card, sessionId, traceId });
  if (found.kind !== 'no-answer') return found;
  log.warn('authentication.method-unknown', { reason: found.internal });
  return { kind: 'ask' };
}

async function ask(deps: AuthenticationDeps, claimed: Claimed, provider: ThreeDsProvider, sessionId: string) {
  const request = await toRequest(deps, claimed, sessionId);
  if (!request) return failAuthentication(deps, claimed, 'only the processor learns the card');
  const before = await askForMethod(claimed, provider, request);
  if (before.kind === 'impossible') return failAuthentication(deps, claimed, before.internal);
  if (before.kind === 'method') {
    await recordResult(deps, claimed, (current) => planMethod(current, before, planContext(deps)));
    return 'method';
  }
  const prepared = before.kind === 'no-method' && before.prepared;
  const answer = await provider.authenticate({ ...request, ...(prepared && { prepared }) });
  if (answer.kind === 'challenge') return startChallenge(deps, claimed, answer, sessionId);
  if (answer.kind !== 'no-answer') return settleAnswer(deps, claimed, answer);
  if (claimed.work.tries + 1 < limits.threeDsTriesMax) return retryLater(deps, claimed, answer.internal);
  return failAuthentication(deps, claimed, answer.internal);
}

/** Stores what the rules ask for, with the id of the 3DS session, before the provider is called, so that asking is idempotent. */
async function evaluate(deps: AuthenticationDeps, claimed: Claimed): Promise<string> {
  const sessionId = newThreeDsSessionId();
  const written = await recordResult(deps, claimed, (current) => {
    const context = planContext(deps);
    const evaluated = planEvaluated(current, context.now, sessionId);
    return evaluated.threeDs?.required ? evaluated : planHandOn(evaluated, context);
  });
  if (!written) return 'lost';
  if (!written.threeDs?.required || !written.work) return 'not-required';
  return authenticate(deps, { ...claimed, payment: written, work: written.work });
}

export async function handleAuthentication(deps: AuthenticationDeps, claimed: Claimed): Promise<string> {
  return claimed.payment.threeDsFacts ? evaluate(deps, claimed) : authenticate(deps, claimed);
}

async function authenticate(deps: AuthenticationDeps, claimed: Claimed): Promise<string> {
  const { payment } = claimed;
  const provider = providerOf(deps, payment);
  const context = planContext(deps);
  // Without a decision the payment must not go on (docs/security.md#fail-closed).
  if (!payment.threeDs) throw new Error(`payment ${payment._id} came without a decision about 3D Secure`);
  // The API of an earlier release decided this.
  if (!payment.threeDs.required) {
    await recordResult(deps, claimed, (current) => planHandOn(current, context));
    return 'not-required';
  }
  if (payment.authorizeBy < context.now) {
    await recordResult(deps, claimed, (current) => planExpired(current, context));
    return 'too-old';
  }
  const { sessionId } = payment.threeDs;
  if (!provider || sessionId === undefined)
    return failAuthentication(deps, claimed, 'the provider is not configured here');
  try {
    return await ask(deps, claimed, provider, sessionId);
  } catch (error) {
    if (isTampered(error)) return failTampered(deps, claimed, error);
    // The card cannot be opened: it is gone, or the keys are unavailable. Nothing was charged, and nothing will be.
    const known = [VaultError, TokenGoneError, RequestNotMadeError].some((kind) => error instanceof kind);
    if (!known) throw error;
    // These errors name records and keys only, never what was sealed.
    const { message } = error as Error;
    if (claimed.work.tries + 1 < limits.threeDsTriesMax) return retryLater(deps, claimed, message);
    return failAuthentication(deps, claimed, message);
  }
}
