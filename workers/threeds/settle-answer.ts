/** What each answer of a provider does to the payment: shared by the first answer and by the result of a challenge. */
import { limits } from '../../config/limits.js';
import type { Envelope, Payment } from '../../shared/domain/payment/payment.js';
import { nextWork } from '../../shared/domain/payment/work.js';
import type { AuthenticationStatus } from '../../shared/domain/threeds/authentication.js';
import { planAuthenticated, planRefused, type Refused } from '../../shared/domain/threeds/plan-authentication.js';
import { after } from '../../shared/domain/time.js';
import type { Authenticated, Impossible, NotAuthenticated } from '../../shared/threeds-providers/provider.js';
import { bindingOf } from '../open-card.js';
import { type Claimed, planContext, type RecordDeps, record } from '../payment-work.js';
import type { PoolDeps } from '../pool.js';

export type AnswerDeps = RecordDeps & Pick<PoolDeps, 'vault' | 'renderCallback' | 'schedule'>;

/** The provider that the payment's authentication was begun with. */
export const providerOf = ({ providers }: Pick<PoolDeps, 'providers'>, { threeDs }: Payment) =>
  threeDs?.provider === undefined ? undefined : providers.get(threeDs.provider);

/** Sealed and destroyed as a cvc is: it is good for this one authorization. */
async function sealValue(deps: AnswerDeps, payment: Payment, value: string | undefined): Promise<Envelope | undefined> {
  if (value === undefined) return undefined;
  return deps.vault.seal('cvc', value, bindingOf(payment, 'authenticationValue'));
}

/** Ends the payment: its payer was not authenticated. */
export async function refuse(deps: AnswerDeps, claimed: Claimed, refused: Refused): Promise<void> {
  await record(deps, claimed, (payment) => planRefused(payment, refused, planContext(deps)));
}

/** Could not be done and will not be: nothing is sent without an authentication that was asked for (docs/security.md#fail-closed). */
export async function impossible(deps: AnswerDeps, claimed: Claimed, internal: string): Promise<string> {
  claimed.log.warn('authentication.impossible', { reason: internal });
  await refuse(deps, claimed, { status: 'error', error: 'authentication-failed' });
  return 'error';
}

export async function settleAnswer(
  deps: AnswerDeps,
  claimed: Claimed,
  answer: Authenticated | NotAuthenticated | Impossible,
): Promise<string> {
  if (answer.kind === 'impossible') return impossible(deps, claimed, answer.internal);
  if (answer.kind === 'not-authenticated') {
    const status: AuthenticationStatus = answer.cancelled ? 'cancelled' : 'failed';
    await refuse(deps, claimed, { ...answer, status, error: 'authentication-failed' });
    return status;
  }
  const value = await sealValue(deps, claimed.payment, answer.authenticationValue);
  const proof = { ...answer, ...(value && { value }) };
  await record(deps, claimed, (payment) => planAuthenticated(payment, proof, planContext(deps)));
  return 'authenticated';
}

/** Asked again a little later: the session id makes it the same question. */
export async function askAgain(deps: AnswerDeps, claimed: Claimed, internal: string): Promise<string> {
  claimed.log.warn('authentication.no-answer', { reason: internal });
  const dueAt = after(deps.clock.now(), limits.threeDsAgainMs);
  await record(deps, claimed, (payment, work) => ({
    ...payment,
    work: nextWork(work, work.kind, dueAt, work.tries + 1),
  }));
  return 'no-answer';
}
