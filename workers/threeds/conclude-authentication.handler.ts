/**
 * Fetches the result of a challenge from the provider itself (docs/security.md#challenge-results): after the payer came back, when the time
 * is up, and at intervals before, because a payer who answers the issuer and closes the window never comes back.
 */
import { limits } from '../../config/limits.js';
import { defined } from '../../shared/domain/defined.js';
import type { Payment, Work } from '../../shared/domain/payment/payment.js';
import { planExpired, planKeepWaiting } from '../../shared/domain/threeds/plan-authentication.js';
import { type Claimed, planContext, recordResult } from '../payment-work.js';
import type { PoolDeps } from '../pool.js';
import { type AnswerDeps, failAuthentication, providerOf, retryLater, settleAnswer } from './settle-answer.js';

type ConclusionDeps = AnswerDeps & Pick<PoolDeps, 'providers'>;

/** Ends a payment for which no answer came in time; the inquiries have ended. */
async function expire(deps: ConclusionDeps, claimed: Claimed): Promise<string> {
  await recordResult(deps, claimed, (current) => planExpired(current, planContext(deps)));
  return 'late';
}

async function keepWaiting(deps: ConclusionDeps, claimed: Claimed): Promise<string> {
  await recordResult(deps, claimed, (current) => planKeepWaiting(current, planContext(deps)));
  return 'open';
}

/** Whether a result that is not there yet may come at any moment: the issuer's last message to the payer's browser was faster. */
const isOnItsWay = ({ threeDs }: Payment, { kind, tries }: Work): boolean =>
  kind === 'conclude' && threeDs?.challenge?.answeredAt !== undefined && tries + 1 < limits.threeDsLateTriesMax;

export async function handleConclusion(deps: ConclusionDeps, claimed: Claimed): Promise<string> {
  const { payment, work } = claimed;
  const provider = providerOf(deps, payment);
  const { deadline, threeDs, amount, traceId, authorizeBy } = payment;
  const now = deps.clock.now();
  const timeIsUp = !deadline || deadline.at <= now;
  if (authorizeBy < now) return expire(deps, claimed);
  if (!provider || threeDs?.sessionId === undefined)
    return failAuthentication(deps, claimed, 'the provider is not configured here');
  const { totalMinor: amountMinor, currency } = amount;
  const { sessionId, reference, version, dsTransactionId, challenge } = threeDs;
  const answer = await provider.result({
    sessionId,
    amountMinor,
    currency,
    traceId,
    ...defined({ reference, version, dsTransactionId, acsTransactionId: challenge?.acsTransactionId }),
  });
  if (answer.kind === 'open') {
    if (timeIsUp) return expire(deps, claimed);
    return isOnItsWay(payment, work)
      ? retryLater(deps, claimed, 'the challenge is over, and its result is not there yet')
      : keepWaiting(deps, claimed);
  }
  if (answer.kind !== 'no-answer') return settleAnswer(deps, claimed, answer);
  if (timeIsUp && work.tries + 1 >= limits.threeDsTriesMax) return expire(deps, claimed);
  // An inquiry can wait for the next one, but a payer who is back cannot wait.
  if (!timeIsUp && work.kind === 'await-challenge') return keepWaiting(deps, claimed);
  return retryLater(deps, claimed, answer.internal);
}
