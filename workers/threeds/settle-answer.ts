/** What each answer of a provider does to the payment: shared by the first answer and by the result of a challenge. */
import { limits } from '../../config/limits.js';
import type { Envelope, Payment } from '../../shared/domain/payment/payment.js';
import { nextWork } from '../../shared/domain/payment/work.js';
import type { AuthenticationStatus } from '../../shared/domain/threeds/authentication.js';
import { planAuthenticated, planRefused, type Refused } from '../../shared/domain/threeds/plan-authentication.js';
import type { Authenticated, Impossible, NotAuthenticated } from '../../shared/threeds-providers/provider.js';
import { bindingOf } from '../open-card.js';
import { authenticationContext, type Claimed, type ThreeDsPoolDeps } from './context.js';
import { record } from './record.js';

/** Sealed and destroyed as a cvc is: it is good for this one authorization. */
async function sealValue(
  deps: ThreeDsPoolDeps,
  payment: Payment,
  value: string | undefined,
): Promise<Envelope | undefined> {
  if (value === undefined) return undefined;
  return deps.vault.seal('cvc', value, bindingOf(payment, 'authenticationValue'));
}

export async function refuse(deps: ThreeDsPoolDeps, claimed: Claimed, refused: Refused): Promise<void> {
  await record(deps, claimed, (payment) => planRefused(payment, refused, authenticationContext(deps)));
}

/** Could not be done and will not be: nothing is sent without an authentication that was asked for (docs/security.md#fail-closed). */
export async function impossible(deps: ThreeDsPoolDeps, claimed: Claimed, internal: string): Promise<string> {
  claimed.log.warn('authentication.impossible', { reason: internal });
  await refuse(deps, claimed, { status: 'error', error: 'authentication-failed' });
  return 'error';
}

export async function settleAnswer(
  deps: ThreeDsPoolDeps,
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
  await record(deps, claimed, (payment) => planAuthenticated(payment, proof, authenticationContext(deps)));
  return 'authenticated';
}

/** Asked again a little later: the session id makes it the same question. */
export async function askAgain(deps: ThreeDsPoolDeps, claimed: Claimed, internal: string): Promise<string> {
  claimed.log.warn('authentication.no-answer', { reason: internal });
  const dueAt = new Date(deps.clock.now().getTime() + limits.threeDsAgainMs);
  await record(deps, claimed, (payment) =>
    payment.work
      ? { ...payment, work: nextWork(payment.work, payment.work.kind, dueAt, payment.work.tries + 1) }
      : undefined,
  );
  return 'no-answer';
}
