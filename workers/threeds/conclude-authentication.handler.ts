/**
 * Fetches the result of a challenge from the provider itself (docs/security.md#challenge-results): after the payer came back, when the time is up, and now and
 * then in between, since a payer who answers the issuer and closes the window never comes back.
 */
import { limits } from '../../config/limits.js';
import { planExpired, planWaitOn } from '../../shared/domain/threeds/plan-authentication.js';
import { authenticationContext, type Claimed, type ThreeDsPoolDeps } from './context.js';
import { record } from './record.js';
import { askAgain, impossible, settleAnswer } from './settle-answer.js';

/** Nobody answered in time, and nobody is asked any more. */
async function expire(deps: ThreeDsPoolDeps, claimed: Claimed): Promise<string> {
  await record(deps, claimed, (current) => planExpired(current, authenticationContext(deps)));
  return 'late';
}

async function waitOn(deps: ThreeDsPoolDeps, claimed: Claimed): Promise<string> {
  await record(deps, claimed, (current) => planWaitOn(current, authenticationContext(deps)));
  return 'open';
}

export async function handleConclusion(deps: ThreeDsPoolDeps, claimed: Claimed): Promise<string> {
  const { payment, provider, work } = claimed;
  const { deadline, threeDs, amount, traceId, authorizeBy } = payment;
  const now = deps.clock.now();
  const timeIsUp = !deadline || deadline.at <= now;
  if (authorizeBy < now) return expire(deps, claimed);
  if (!provider || threeDs?.sessionId === undefined)
    return impossible(deps, claimed, 'the provider is not configured here');
  const { totalMinor: amountMinor, currency } = amount;
  const answer = await provider.result({ sessionId: threeDs.sessionId, amountMinor, currency, traceId });
  if (answer.kind === 'open') return timeIsUp ? expire(deps, claimed) : waitOn(deps, claimed);
  if (answer.kind !== 'no-answer') return settleAnswer(deps, claimed, answer);
  if (timeIsUp && work.tries + 1 >= limits.threeDsTriesMax) return expire(deps, claimed);
  // A look can wait for the next one; whoever is back cannot.
  if (!timeIsUp && work.kind === 'await-challenge') return waitOn(deps, claimed);
  return askAgain(deps, claimed, answer.internal);
}
