/** The acquirer itself, without HTTP: takes the requests of each personality, decides, and records every effect. */
import { responseCodes } from '../../../shared/domain/response-codes.js';
import type {
  Personality,
  WireAnswer,
  WireAuthorization,
  WireFollowUp,
  WireLedgerKind,
  WireReversalAnswer,
} from '../../../shared/processors/sandbox/wire.js';
import type { Accounts, OperationRequest } from './accounts.js';
import { answerOf } from './answer-of.js';
import { type Behaviour, waits } from './behaviours.js';
import { findEffective, isEffective, type Operation } from './books.js';
import { checkCard } from './check-card.js';
import { decideAuthorization } from './decide-authorization.js';
import { decideFollowUp, type FollowUpKind } from './decide-follow-up.js';
import { decideReversal } from './decide-reversal.js';
import { declinedOutcome, failedOutcome } from './outcomes.js';

interface Traits {
  readonly dedupes: boolean;
  readonly tombstones: boolean;
  readonly inquiryLagMs: number;
}

/** Differences of the personalities (wire.ts). */
const traits = {
  idempotent: { dedupes: true, tombstones: true, inquiryLagMs: 0 },
  forgetful: { dedupes: false, tombstones: false, inquiryLagMs: 0 },
  lagging: { dedupes: false, tombstones: true, inquiryLagMs: waits.inquiryLagMs },
} as const satisfies Record<Personality, Traits>;

/** How an operation is answered. */
export interface OperationResult {
  /** Absent: the request left no trace, or contradicts an earlier request under the same key. */
  readonly answer?: WireAnswer;
  /** How the answer is delivered. Absent: at once. */
  readonly reply?: Behaviour['answer'];
}

export interface Bank {
  authorize(personality: Personality, request: WireAuthorization): OperationResult;
  followUp(personality: Personality, kind: FollowUpKind, request: WireFollowUp): OperationResult;
  reverse(personality: Personality, request: WireFollowUp): WireReversalAnswer;
  /** `undefined`: there is no such operation, or it is not visible yet. */
  inquire(personality: Personality, key: string, extraLagMs: number): WireAnswer | undefined;
}

function repeats({ line, requestedMinor }: Operation, kind: WireLedgerKind, request: OperationRequest): boolean {
  const { amountMinor, currency, original = null } = request;
  const asked = requestedMinor ?? line.amountMinor;
  const same = asked === amountMinor && line.currency === currency && line.original === original;
  return same && line.kind === kind;
}

function kindOf({ verification, capture }: WireAuthorization): WireLedgerKind {
  if (verification) return 'verification';
  return capture ? 'purchase' : 'authorization';
}

/** @param isForged whether an authorization carries a 3DS proof that does not belong to it: then it is declined */
export function createBank(accounts: Accounts, isForged: (request: WireAuthorization) => boolean = () => false): Bank {
  const { books, record, recordOperation, nowMs, scaled } = accounts;

  /** Answers a key that was seen before, or was reversed before it arrived. `undefined`: the request is new. */
  function answerKnown(
    personality: Personality,
    kind: WireLedgerKind,
    request: OperationRequest,
  ): OperationResult | undefined {
    const seen = traits[personality].dedupes ? books[personality].find(request.key) : undefined;
    if (seen !== undefined) return repeats(seen, kind, request) ? { answer: answerOf(seen) } : {};
    if (!books[personality].isTombstoned(request.key)) return undefined;
    const outcome = failedOutcome(responseCodes.invalidTransaction, 'Reversed before it arrived');
    return { answer: answerOf(recordOperation(personality, kind, request, { outcome })) };
  }

  return {
    authorize(personality, request) {
      const kind = kindOf(request);
      const known = answerKnown(personality, kind, request);
      if (known !== undefined) return known;
      const { trigger, behaviour, ...decided } = decideAuthorization(request);
      const outcome = isForged(request)
        ? declinedOutcome(responseCodes.suspectedFraud, 'suspected_fraud', 'declined-by-acquirer')
        : decided.outcome;
      const reply = behaviour.answer === undefined ? {} : { reply: behaviour.answer };
      if (outcome === undefined) return reply;
      const partial = behaviour.partial === true && !request.verification && request.amountMinor > 1;
      const booked = partial ? { ...request, amountMinor: Math.floor(request.amountMinor / 2) } : request;
      const operation = recordOperation(personality, kind, booked, {
        outcome,
        ...checkCard(request, outcome),
        ...(partial && { requestedMinor: request.amountMinor }),
        ...(trigger !== 'approved' && { trigger }),
        ...(behaviour.holdMs !== undefined && { holdMs: scaled(behaviour.holdMs) }),
      });
      return { answer: answerOf(operation), ...reply };
    },

    followUp(personality, kind, request) {
      const known = answerKnown(personality, kind, request);
      if (known !== undefined) return known;
      const original = findEffective(books[personality], request.original);
      const { outcome, settles } = decideFollowUp(kind, original, request, nowMs());
      const later = settles && { settlesAt: nowMs() + scaled(settles.afterMs), settlesAs: settles.as };
      return { answer: answerOf(recordOperation(personality, kind, request, { outcome, ...later })) };
    },

    reverse(personality, { key, original, amountMinor, currency }) {
      const decision = decideReversal(books[personality], original);
      const base = { key, original, amountMinor, currency };
      if (decision.kind === 'refused') return { ...base, result: 'refused' };
      if (decision.kind === 'nothing-stands') return { ...base, result: 'reversed', ticket: decision.ticket };
      if (decision.kind === 'reverse') {
        const line = { ...base, kind: 'reversal', amountMinor: decision.amountMinor, result: 'reversed' } as const;
        record(line, { personality });
        return { ...base, result: 'reversed', ticket: decision.ticket };
      }
      if (traits[personality].tombstones && !books[personality].isTombstoned(original)) {
        record({ ...base, kind: 'reversal', result: 'tombstone' }, { personality });
      }
      return { ...base, result: 'not-found' };
    },

    inquire(personality, key, extraLagMs) {
      const { inquiryLagMs } = traits[personality];
      const lagMs = Math.max(extraLagMs, inquiryLagMs === 0 ? 0 : scaled(inquiryLagMs));
      const visibleUntil = nowMs() - lagMs;
      let newest: Operation | undefined;
      for (let operation = books[personality].find(key); operation !== undefined; operation = operation.before) {
        if (operation.atMs > visibleUntil) continue;
        newest ??= operation;
        // When a key was sent twice, the operation in effect decides.
        if (isEffective(operation)) return answerOf(operation);
      }
      return newest && answerOf(newest);
    },
  };
}
