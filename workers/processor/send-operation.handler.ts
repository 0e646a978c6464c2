/** Sends an authorization, capture, cancellation or refund: at most once, within the time that the claim allows. */

import { alerted } from '../../shared/domain/payment/alerted.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planAroundBreaker } from '../../shared/domain/payment/plan-next-route.js';
import { isLostByRestore, sendAgain } from '../../shared/domain/payment/work.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import type { FollowUpRequest, Processor, SendResult } from '../../shared/processors/processor.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import { openCredential, TokenGoneError } from '../open-card.js';
import { byHolder, type Claimed, type Plan } from '../payment-work.js';
import { RequestNotMadeError } from '../processor-payer.js';
import { handleInquiry, isTooOld } from './inquire-payment.handler.js';
import { authorizeRequest, followUpRequest } from './processor-requests.js';
import { type ProcessorDeps, planFor, processorContext, processorOf, settleOutcome } from './settle-outcome.js';

/** Whether the claim was inherited from another process, which may have sent the operation. */
export const isInherited = ({ work }: Claimed) => work.attempt?.token !== work.leaseToken;

type Send = (deps: ProcessorDeps, claimed: Claimed, processor: Processor) => Promise<SendResult>;

const authorize: Send = async (deps, claimed, processor) => {
  const { payment, work } = claimed;
  const request = await authorizeRequest(deps, payment, work.txId);
  if (!claimed.mayStillSend()) return tooLate;
  return payment.purpose === 'verification' && processor.verify
    ? processor.verify(request)
    : processor.authorize(request);
};

async function cardOf(deps: ProcessorDeps, payment: Payment): Promise<Pick<FollowUpRequest, 'card'>> {
  const opened = await openCredential(deps, payment);
  return 'card' in opened ? { card: opened.card } : {};
}

function followUp(operation: 'capture' | 'cancel' | 'refund'): Send {
  return async (deps, claimed, processor) => {
    const { payment, work } = claimed;
    const needsCard = operation === 'refund' && processor.traits.refundNeedsPan;
    const request: FollowUpRequest = {
      ...followUpRequest(payment, work.txId),
      ...(needsCard && (await cardOf(deps, payment))),
    };
    if (!claimed.mayStillSend()) return tooLate;
    return processor[operation]?.(request) ?? notThere;
  };
}

const sends = {
  authorize,
  capture: followUp('capture'),
  cancel: followUp('cancel'),
  refund: followUp('refund'),
} as const;

type SendKind = keyof typeof sends;

/** No result of the processor: this process was suspended between claim and send, so nothing was sent. */
const tooLate: SendResult = { kind: 'not-sent', internal: 'too long since the claim', blocked: 'payment' };

/** The API refuses such an operation before it is stored, so the adapter has lost the operation since. */
const notThere: SendResult = {
  kind: 'failed',
  resultCode: responseCodes.notSupported,
  resultMessage: 'Not sent: the processor has no such operation',
};

/** Whether the payer left too long ago for an authorization to be sent (docs/reliability.md, "Sending"). */
const tooOld = (deps: ProcessorDeps, { payment, work }: Claimed) =>
  work.kind === 'authorize' && isTooOld(deps, payment);

/** A typical decline of an issuer: the caller must not learn that the issuer was not asked (docs/security.md#card-testing). */
const plainDecline: SendResult = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: responseCodes.doNotHonor,
  resultMessage: 'Do not honor',
  declineCode: 'generic_decline',
};

/**
 * Declines a throttled card. If the throttle cannot be checked, nothing is sent (docs/security.md#fail-closed) and the work is tried again.
 */
async function throttled(deps: ProcessorDeps, { payment, work, log }: Claimed): Promise<SendResult | undefined> {
  if (work.kind !== 'authorize') return undefined;
  try {
    return (await deps.cardTesting.isBlocked(payment)) ? plainDecline : undefined;
  } catch (error) {
    if (isTampered(error)) throw error;
    log.error('card-testing.not-checked', { error });
    return { kind: 'not-sent', internal: 'card testing could not be checked', blocked: 'payment' };
  }
}

/** Calls the processor and reports to the route's breaker whether the route was reached. */
async function watched(
  deps: ProcessorDeps,
  { payment }: Claimed,
  call: () => Promise<SendResult>,
): Promise<SendResult> {
  const reportResult = deps.routes.begin(payment);
  let result: SendResult | undefined;
  try {
    result = await call();
    return result;
  } finally {
    reportResult(result);
  }
}

async function trySend(deps: ProcessorDeps, claimed: Claimed): Promise<SendResult> {
  const processor = processorOf(deps, claimed);
  if (!processor)
    return { kind: 'not-sent', internal: 'the processor is not configured in this process', blocked: 'route' };
  try {
    const stopped = await throttled(deps, claimed);
    if (stopped) return stopped;
    return await watched(deps, claimed, () => sends[claimed.work.kind as SendKind](deps, claimed, processor));
  } catch (error) {
    if (error instanceof TokenGoneError) return tokenGone;
    if (isTampered(error)) {
      deps.metrics.event('envelope-tampered');
      claimed.log.error('vault.envelope-tampered', { error });
      return tampered;
    }
    // If the card could not be opened, nothing was sent. Any other error is our own fault after a possible send.
    claimed.log.error('processor.send-failed', { error });
    const internal = error instanceof Error ? error.name : 'error';
    return error instanceof VaultError || error instanceof RequestNotMadeError
      ? { kind: 'not-sent', internal, blocked: 'payment' }
      : { kind: 'unknown', internal };
  }
}

/** Whether the key exists but the envelope does not open: no retry helps, and an operator has to know (docs/security.md#keys-in-use). */
const isTampered = (error: unknown) => error instanceof VaultError && error.code === 'envelope-invalid';

const tampered: SendResult = {
  kind: 'failed',
  resultCode: responseCodes.systemMalfunction,
  resultMessage: 'Not sent: the sealed card was changed',
};

const TAMPERED_ALERT = 'the sealed card does not open: it was changed in the database, or put in another one’s place';

/** Deleting a saved card makes its token unusable at once, also for a payment that was just accepted (docs/security.md#deleted-tokens). */
const tokenGone: SendResult = {
  kind: 'failed',
  resultCode: responseCodes.invalidCardNumber,
  resultMessage: 'Not sent: the saved card is gone',
  error: 'invalid-card-payment-method-token',
};

const expired: SendResult = {
  kind: 'failed',
  resultCode: responseCodes.tooLate,
  resultMessage: 'Not sent: accepted too long ago',
};

const withAlert =
  (plan: Plan, now: Date): Plan =>
  (payment) => {
    const planned = plan(payment);
    return planned && alerted(planned, now, TAMPERED_ALERT);
  };

/**
 * Whether an authorization that may have been sent, and has no known outcome, can be sent again instead of being inquired about: its first
 * nudge was lost, its worker died, or the processor did not find it. The processor must dedupe by our key.
 */
function maySendAgain(deps: ProcessorDeps, claimed: Claimed): boolean {
  const { work } = claimed;
  const traits = processorOf(deps, claimed)?.traits;
  if (work.kind !== 'authorize' || traits?.dedupes !== true) return false;
  // After a restore the key may be forgotten and prevents no second charge. The payment's time has then ended by the clock of a command,
  // which may be ahead of this one.
  return !isLostByRestore(work, traits) && !tooOld(deps, claimed);
}

/**
 * Only an approval or a decline counts: the first send may have had another result than this failure, for example because credentials were
 * changed since. `undefined`: the operation has to be inquired about, also when it may not be sent from here (the card is throttled or does
 * not open).
 */
async function sendAgainByKey(deps: ProcessorDeps, claimed: Claimed): Promise<SendResult | undefined> {
  try {
    if (await throttled(deps, claimed)) return undefined;
    const result = await authorize(deps, claimed, processorOf(deps, claimed) as Processor);
    if (result.kind === 'failed') return undefined;
    return result.kind === 'not-sent' ? { kind: 'unknown', internal: result.internal } : result;
  } catch (error) {
    claimed.log.warn('processor.not-sent-again', { error });
    return undefined;
  }
}

/**
 * Handles an operation that another process may have sent: sends it again under the same key if that is safe, or else inquires about it.
 */
async function handleInherited(deps: ProcessorDeps, claimed: Claimed): Promise<string> {
  const result = maySendAgain(deps, claimed) ? await sendAgainByKey(deps, claimed) : undefined;
  if (!result) return handleInquiry(deps, claimed);
  await settleOutcome(deps, claimed, planFor(deps, claimed, result));
  return `again-${result.kind}`;
}

/** Moves an unsent payment to another route, if it has one, while the breaker of its route is open. @returns whether it was moved */
async function rerouteAroundBreaker(deps: ProcessorDeps, claimed: Claimed): Promise<boolean> {
  const { payment, work } = claimed;
  if (work.kind !== 'authorize' || !payment.routing || !deps.routes.isOpen(payment)) return false;
  const context = processorContext(deps, claimed);
  if (!planAroundBreaker(payment, work, context)) return false;
  await settleOutcome(
    deps,
    claimed,
    byHolder(claimed, (current, own) => planAroundBreaker(current, own, context)),
  );
  return true;
}

/** Handles the work kinds that send. */
export async function handleSend(deps: ProcessorDeps, claimed: Claimed): Promise<string> {
  if (isInherited(claimed)) return handleInherited(deps, claimed);
  if (await rerouteAroundBreaker(deps, claimed)) return 'rerouted';
  const result = tooOld(deps, claimed) ? expired : await trySend(deps, claimed);
  if (result === tooLate) {
    const plan = byHolder(claimed, (payment, work) => ({
      ...payment,
      work: sendAgain(work, claimed.work.kind as SendKind, deps.clock.now(), work.tries),
    }));
    await settleOutcome(deps, claimed, plan);
    return 'too-late';
  }
  if (result.kind === 'unknown' || result.kind === 'not-sent') {
    claimed.log.warn('processor.no-outcome', { status: result.kind, reason: result.internal });
  }
  const plan = planFor(deps, claimed, result);
  await settleOutcome(deps, claimed, result === tampered ? withAlert(plan, deps.clock.now()) : plan);
  return result.kind;
}
