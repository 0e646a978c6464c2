/** Applies an answer of a provider to the payment: the first answer as well as the result of a challenge. */
import { limits } from '../../config/limits.js';
import { alerted } from '../../shared/domain/payment/alerted.js';
import type { Envelope, Payment } from '../../shared/domain/payment/payment.js';
import { nextWork } from '../../shared/domain/payment/work.js';
import type { AuthenticationStatus } from '../../shared/domain/threeds/authentication.js';
import { planAuthenticated, planRefused, type Refused } from '../../shared/domain/threeds/plan-authentication.js';
import { after } from '../../shared/domain/time.js';
import type { Authenticated, Impossible, NotAuthenticated } from '../../shared/threeds-providers/provider.js';
import type { VaultError } from '../../shared/vault/vault-error.js';
import { bindingOf, TAMPERED_ALERT } from '../open-card.js';
import { type Claimed, planContext, type RecordDeps, recordResult } from '../payment-work.js';
import type { PoolDeps } from '../pool.js';

export type AnswerDeps = RecordDeps & Pick<PoolDeps, 'vault' | 'renderCallback' | 'schedule'>;

/** Returns the provider with which the payment's authentication began. */
export const providerOf = ({ providers }: Pick<PoolDeps, 'providers'>, { threeDs }: Payment) =>
  threeDs?.provider === undefined ? undefined : providers.get(threeDs.provider);

/** Seals the authentication value; it is destroyed like a cvc, because it is valid for this one authorization. */
async function sealValue(deps: AnswerDeps, payment: Payment, value: string | undefined): Promise<Envelope | undefined> {
  if (value === undefined) return undefined;
  return deps.vault.seal('cvc', value, bindingOf(payment, 'authenticationValue'));
}

/** Ends the payment: its payer was not authenticated. */
export async function endUnauthenticated(deps: AnswerDeps, claimed: Claimed, refused: Refused): Promise<void> {
  await recordResult(deps, claimed, (payment) => planRefused(payment, refused, planContext(deps)));
}

/** Ends a payment that cannot be authenticated: nothing is sent without a required authentication (docs/security.md#fail-closed). */
export async function failAuthentication(deps: AnswerDeps, claimed: Claimed, internal: string): Promise<string> {
  claimed.log.warn('authentication.impossible', { reason: internal });
  await endUnauthenticated(deps, claimed, { status: 'error', error: 'authentication-failed' });
  return 'error';
}

/** Ends a payment whose sealed card was changed in the database: no retry helps, and an operator has to know. */
export async function failTampered(deps: AnswerDeps, claimed: Claimed, error: VaultError): Promise<string> {
  deps.metrics.event('envelope-tampered');
  claimed.log.error('vault.envelope-tampered', { error });
  await recordResult(deps, claimed, (payment) => {
    const context = planContext(deps);
    const refused = planRefused(payment, { status: 'error', error: 'authentication-failed' }, context);
    return alerted(refused, context.now, TAMPERED_ALERT);
  });
  return 'error';
}

export async function settleAnswer(
  deps: AnswerDeps,
  claimed: Claimed,
  answer: Authenticated | NotAuthenticated | Impossible,
): Promise<string> {
  if (answer.kind === 'impossible') return failAuthentication(deps, claimed, answer.internal);
  if (answer.kind === 'not-authenticated') {
    const status: AuthenticationStatus = answer.cancelled ? 'cancelled' : 'failed';
    await endUnauthenticated(deps, claimed, { ...answer, status, error: 'authentication-failed' });
    return status;
  }
  const value = await sealValue(deps, claimed.payment, answer.authenticationValue);
  const proof = { ...answer, ...(value && { value }) };
  await recordResult(deps, claimed, (payment) => planAuthenticated(payment, proof, planContext(deps)));
  return 'authenticated';
}

/** Asks again a little later: the session id makes it the same request. */
export async function retryLater(deps: AnswerDeps, claimed: Claimed, internal: string): Promise<string> {
  claimed.log.warn('authentication.no-answer', { reason: internal });
  const dueAt = after(deps.clock.now(), limits.threeDsAgainMs);
  await recordResult(deps, claimed, (payment, work) => ({
    ...payment,
    work: nextWork(work, work.kind, dueAt, work.tries + 1),
  }));
  return 'no-answer';
}
