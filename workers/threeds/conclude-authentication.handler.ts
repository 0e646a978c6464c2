/** Fetches the result of a challenge from the provider itself, after the payer came back (S48). */
import { planExpired, planWaitOn } from '../../shared/domain/threeds/plan-authentication.js';
import { authenticationContext, type Claimed, type ThreeDsPoolDeps } from './context.js';
import { record } from './record.js';
import { askAgain, impossible, settleAnswer } from './settle-answer.js';

export async function handleConclusion(deps: ThreeDsPoolDeps, claimed: Claimed): Promise<string> {
  const { payment, provider } = claimed;
  const { deadline, threeDs, amount, traceId } = payment;
  const context = authenticationContext(deps);
  if (!deadline || deadline.at <= context.now) {
    await record(deps, claimed, (current) => planExpired(current, context));
    return 'late';
  }
  if (!provider || threeDs?.sessionId === undefined)
    return impossible(deps, claimed, 'the provider is not configured here');
  const { totalMinor: amountMinor, currency } = amount;
  const answer = await provider.result({ sessionId: threeDs.sessionId, amountMinor, currency, traceId });
  if (answer.kind === 'no-answer') return askAgain(deps, claimed, answer.internal);
  if (answer.kind !== 'open') return settleAnswer(deps, claimed, answer);
  await record(deps, claimed, planWaitOn);
  return 'open';
}
