/** Decides the result of a capture, cancellation or refund: refuses it as an acquirer would, by the state of the original. */
import type { DeclineCode } from '../../../shared/domain/decline-codes.js';
import { responseCodes as codes } from '../../../shared/domain/response-codes.js';
import type { WireFollowUp, WireOutcome } from '../../../shared/processors/sandbox/wire.js';
import { waits } from './behaviours.js';
import type { Operation } from './books.js';
import { approvedOutcome, declinedOutcome, pendingOutcome } from './outcomes.js';

export type FollowUpKind = 'capture' | 'cancellation' | 'refund';

export interface FollowUpDecision {
  readonly outcome: WireOutcome;
  /** The outcome changes to `as` without a request, `afterMs` later (before `TIME_SCALE`). */
  readonly settles?: { readonly as: 'approved' | 'failed'; readonly afterMs: number };
}

type Rule = (original: Operation, request: WireFollowUp, nowMs: number) => FollowUpDecision;

const approve: FollowUpDecision = { outcome: approvedOutcome };
const refuse = (code: string, declineCode: DeclineCode): FollowUpDecision => ({
  outcome: declinedOutcome(code, declineCode),
});

const hasExpired = (hold: Operation, nowMs: number) => hold.holdMs !== undefined && nowMs >= hold.atMs + hold.holdMs;

/** Closes a code. Money that was paid for it goes back to the payer. */
const cancelCode: (code: Operation, request: WireFollowUp) => FollowUpDecision = (code, request) => {
  if (code.cancelled) return refuse(codes.invalidTransaction, 'already_cancelled');
  if (code.refundedMinor > 0) return refuse(codes.invalidTransaction, 'already_refunded');
  return request.amountMinor === code.line.amountMinor ? approve : refuse(codes.invalidAmount, 'not_the_full_amount');
};

const rules = {
  capture(hold, request, nowMs) {
    if (hold.line.kind !== 'authorization') return refuse(codes.invalidTransaction, 'not_a_hold');
    if (hold.cancelled) return refuse(codes.invalidTransaction, 'already_cancelled');
    if (hold.capturedMinor > 0) return refuse(codes.invalidTransaction, 'already_captured');
    if (hasExpired(hold, nowMs)) return refuse(codes.invalidTransaction, 'hold_expired');
    if (request.amountMinor > hold.line.amountMinor) return refuse(codes.invalidAmount, 'amount_too_large');
    return hold.behaviour.captureDeclined ? refuse(codes.doNotHonor, 'capture_denied') : approve;
  },
  cancellation(hold, request) {
    if (hold.line.kind === 'code') return cancelCode(hold, request);
    if (hold.line.kind !== 'authorization' && hold.line.kind !== 'verification')
      return refuse(codes.invalidTransaction, 'not_a_hold');
    if (hold.cancelled) return refuse(codes.invalidTransaction, 'already_cancelled');
    if (hold.capturedMinor > 0) return refuse(codes.invalidTransaction, 'already_captured');
    if (request.amountMinor !== hold.line.amountMinor) return refuse(codes.invalidAmount, 'not_the_full_amount');
    return hold.behaviour.cancellationDeclined ? refuse(codes.doNotHonor, 'cancellation_refused') : approve;
  },
  refund(charge, request) {
    if (charge.cancelled) return refuse(codes.invalidTransaction, 'already_cancelled');
    if (charge.capturedMinor === 0) return refuse(codes.invalidTransaction, 'not_captured');
    if (charge.refundedMinor + request.amountMinor > charge.capturedMinor)
      return refuse(codes.invalidAmount, 'amount_too_large');
    const { refund } = charge.behaviour;
    if (refund === undefined) return approve;
    const outcome = refund.first === 'pending' ? pendingOutcome : approvedOutcome;
    return { outcome, settles: { as: refund.later, afterMs: waits.refundSettlesMs } };
  },
} as const satisfies Record<FollowUpKind, Rule>;

/** `original`: the newest standing operation under the key that the request names. */
export function decideFollowUp(
  kind: FollowUpKind,
  original: Operation | undefined,
  request: WireFollowUp,
  nowMs: number,
): FollowUpDecision {
  if (original === undefined) return refuse(codes.unknownRecord, 'original_not_found');
  if (original.line.currency !== request.currency) return refuse(codes.invalidTransaction, 'currency_mismatch');
  return rules[kind](original, request, nowMs);
}
