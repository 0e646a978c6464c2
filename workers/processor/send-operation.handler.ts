/** Sends an authorization, capture, cancellation or refund: at most once, within the time that the claim allows. */

import { limits } from '../../config/limits.js';
import { alerted } from '../../shared/domain/payment/alerted.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planAroundBreaker } from '../../shared/domain/payment/plan-next-route.js';
import { isLostByRestore, sendAgain } from '../../shared/domain/payment/work.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import { after } from '../../shared/domain/time.js';
import type { FollowUpRequest, Processor, SendResult } from '../../shared/processors/processor.js';
import { VaultError } from '../../shared/vault/vault-error.js';
import { isTampered, openCredential, TAMPERED_ALERT, TokenGoneError } from '../open-card.js';
import { byHolder, type Claimed, type Plan } from '../payment-work.js';
import { RequestNotMadeError } from '../processor-payer.js';
import { handleInquiry, isPastAuthorizeBy } from './inquire-payment.handler.js';
import { type ProcessorDeps, processorContext, processorOf } from './processor-context.js';
import { authorizeRequest, followUpRequest } from './processor-requests.js';
import { planSendResult, settleOutcome } from './settle-outcome.js';

/** Whether the claim was inherited from another process, which may have sent the operation. */
export const isInherited = ({ work }: Claimed) => work.attempt?.token !== work.leaseToken;

/** No result of the processor: this process was suspended between claim and send, so nothing was sent. */
const claimedTooLongAgo: SendResult = { kind: 'not-sent', internal: 'too long since the claim', blocked: 'payment' };

/** The API refuses such an operation before it is stored, so the adapter has lost the operation since. */
const operationNotSupported: SendResult = {
  kind: 'failed',
  resultCode: responseCodes.notSupported,
  resultMessage: 'Not sent: the processor has no such operation',
};

const acceptedTooLongAgo: SendResult = {
  kind: 'failed',
  resultCode: responseCodes.tooLate,
  resultMessage: 'Not sent: accepted too long ago',
};

/** Deleting a saved card makes its token unusable at once, also for a payment that was just accepted (docs/security.md#deleted-tokens). */
const savedCardGone: SendResult = {
  kind: 'failed',
  resultCode: responseCodes.invalidCardNumber,
  resultMessage: 'Not sent: the saved card is gone',
  error: 'invalid-card-payment-method-token',
};

const cardTampered: SendResult = {
  kind: 'failed',
  resultCode: responseCodes.systemMalfunction,
  resultMessage: 'Not sent: the sealed card was changed',
};

/** A typical decline of an issuer: the caller must not learn that the issuer was not asked (docs/security.md#card-testing). */
const plainDecline: SendResult = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: responseCodes.doNotHonor,
  resultMessage: 'Do not honor',
  declineCode: 'generic_decline',
};

/** No result of the processor: as many attempts of the card are open as may still be declined. */
const cardInUse: SendResult = { kind: 'not-sent', internal: 'other attempts of the card are open', blocked: 'payment' };

type Send = (deps: ProcessorDeps, claimed: Claimed, processor: Processor) => Promise<SendResult>;

const authorize: Send = async (deps, claimed, processor) => {
  const { payment, work } = claimed;
  const request = await authorizeRequest(deps, payment, work.txId);
  if (!claimed.mayStillSend()) return claimedTooLongAgo;
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
    if (!claimed.mayStillSend()) return claimedTooLongAgo;
    return processor[operation]?.(request) ?? operationNotSupported;
  };
}

const senders = {
  authorize,
  capture: followUp('capture'),
  cancel: followUp('cancel'),
  refund: followUp('refund'),
} as const;

type SendKind = keyof typeof senders;

const throttled = { block: plainDecline, wait: cardInUse } as const satisfies Record<string, SendResult>;

/** Whether the payer left too long ago for an authorization to be sent (docs/reliability.md, "Sending"). */
const isTooLateToAuthorize = (deps: ProcessorDeps, { payment, work }: Claimed) =>
  work.kind === 'authorize' && isPastAuthorizeBy(deps, payment);

/**
 * Declines a throttled card, or lets it wait. If the throttle cannot be checked, nothing is sent (docs/security.md#fail-closed) and the work
 * is tried again.
 */
async function stopIfThrottled(deps: ProcessorDeps, { payment, work, log }: Claimed): Promise<SendResult | undefined> {
  if (work.kind !== 'authorize') return undefined;
  try {
    const verdict = await deps.cardTesting.judge(payment);
    return verdict === 'send' ? undefined : throttled[verdict];
  } catch (error) {
    if (isTampered(error)) throw error;
    log.error('card-testing.not-checked', { error });
    return { kind: 'not-sent', internal: 'card testing could not be checked', blocked: 'payment' };
  }
}

/** Calls the processor and reports to the route's breaker whether the route was reached. */
async function sendThroughBreaker(
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
    const stopped = await stopIfThrottled(deps, claimed);
    if (stopped) return stopped;
    return await sendThroughBreaker(deps, claimed, () =>
      senders[claimed.work.kind as SendKind](deps, claimed, processor),
    );
  } catch (error) {
    if (error instanceof TokenGoneError) return savedCardGone;
    if (isTampered(error)) {
      deps.metrics.event('envelope-tampered');
      claimed.log.error('vault.envelope-tampered', { error });
      return cardTampered;
    }
    // If the card could not be opened, nothing was sent. Any other error is our own fault after a possible send.
    claimed.log.error('processor.send-failed', { error });
    const internal = error instanceof Error ? error.name : 'error';
    return error instanceof VaultError || error instanceof RequestNotMadeError
      ? { kind: 'not-sent', internal, blocked: 'payment' }
      : { kind: 'unknown', internal };
  }
}

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
  return !isLostByRestore(work, traits) && !isTooLateToAuthorize(deps, claimed);
}

/**
 * Sends an authorization again under its key. Only an approval or a decline counts: the first send may have had another result than this
 * failure, for example because credentials were changed since. `undefined`: the operation has to be inquired about, also when it may not be
 * sent from here (the card is throttled or does not open).
 */
async function sendAgainByKey(deps: ProcessorDeps, claimed: Claimed): Promise<SendResult | undefined> {
  try {
    if (await stopIfThrottled(deps, claimed)) return undefined;
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
  await settleOutcome(deps, claimed, planSendResult(deps, claimed, result));
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

const withAlert =
  (plan: Plan, now: Date): Plan =>
  (payment) => {
    const planned = plan(payment);
    return planned && alerted(planned, now, TAMPERED_ALERT);
  };

/** Gives the work back unsent, to be done again at `dueAt`. */
async function postpone(deps: ProcessorDeps, claimed: Claimed, dueAt: Date): Promise<void> {
  const kind = claimed.work.kind as SendKind;
  const plan = byHolder(claimed, (payment, work) => ({ ...payment, work: sendAgain(work, kind, dueAt, work.tries) }));
  await settleOutcome(deps, claimed, plan);
}

async function send(deps: ProcessorDeps, claimed: Claimed): Promise<string> {
  if (isInherited(claimed)) return handleInherited(deps, claimed);
  if (await rerouteAroundBreaker(deps, claimed)) return 'rerouted';
  const result = isTooLateToAuthorize(deps, claimed) ? acceptedTooLongAgo : await trySend(deps, claimed);
  if (result === claimedTooLongAgo) {
    await postpone(deps, claimed, deps.clock.now());
    return 'too-late';
  }
  if (result === cardInUse) {
    await postpone(deps, claimed, after(deps.clock.now(), limits.parkMs));
    return 'parked';
  }
  if (result.kind === 'unknown' || result.kind === 'not-sent') {
    claimed.log.warn('processor.no-outcome', { status: result.kind, reason: result.internal });
  }
  const plan = planSendResult(deps, claimed, result);
  await settleOutcome(deps, claimed, result === cardTampered ? withAlert(plan, deps.clock.now()) : plan);
  return result.kind;
}

/** Handles the work kinds that send. */
export async function handleSend(deps: ProcessorDeps, claimed: Claimed): Promise<string> {
  try {
    return await send(deps, claimed);
  } finally {
    deps.cardTesting.end(claimed.payment);
  }
}
