/** Decides the result of an authorization, purchase or verification by the card number, else by the amount. */

import { testAmounts } from '../../../api/testing/test-amounts.js';
import { type TestOutcome, testCards } from '../../../api/testing/test-cards.js';
import type { DeclineCode } from '../../../shared/domain/decline-codes.js';
import { findCurrency } from '../../../shared/domain/money/currency.js';
import { responseCodes } from '../../../shared/domain/response-codes.js';
import type { WireAuthorization, WireOutcome } from '../../../shared/processors/sandbox/wire.js';
import { type Behaviour, behaviours } from './behaviours.js';
import { approvedOutcome, declinedOutcome } from './outcomes.js';

interface Trigger {
  readonly outcome: TestOutcome;
  readonly isoCode: string;
  readonly declineCode?: DeclineCode;
}

export interface AuthorizationDecision {
  /** Absent: the request leaves no trace. */
  readonly outcome?: WireOutcome;
  readonly trigger: TestOutcome;
  readonly behaviour: Behaviour;
}

const byNumber: ReadonlyMap<string, Trigger> = new Map(testCards.map((card) => [card.number, card]));
const byAmountMinor: ReadonlyMap<number, Trigger> = new Map(testAmounts.map((row) => [row.amountMinor, row]));
const plain: Trigger = { outcome: 'approved', isoCode: responseCodes.approved };
/** The amounts are written in currencies with two decimals. */
const TRIGGER_EXPONENT = 2;

function findTrigger({ credential: { card }, amountMinor, currency }: WireAuthorization): Trigger {
  const trigger = (card && byNumber.get(card.number)) ?? plain;
  // For a card that is simply approved the amount decides.
  if (trigger.outcome !== 'approved') return trigger;
  const byAmount = byAmountMinor.get(amountMinor);
  return byAmount !== undefined && findCurrency(currency)?.exponent === TRIGGER_EXPONENT ? byAmount : trigger;
}

function isDeclined(behaviour: Behaviour, request: WireAuthorization): boolean {
  if (behaviour.authorize === 'declined') return true;
  if (request.verification) return behaviour.verificationDeclined === true;
  const { source, stored } = request.credential;
  const later = source === 'token' || stored?.use === 'subsequent';
  return behaviour.laterChargesDeclined === true && later;
}

/** Decides without the books: the caller checks whether the key was sent before. */
export function decideAuthorization(request: WireAuthorization): AuthorizationDecision {
  const trigger = findTrigger(request);
  const behaviour: Behaviour = behaviours[trigger.outcome];
  const base = { trigger: trigger.outcome, behaviour };
  if (behaviour.authorize === 'nothing') return base;
  if (!isDeclined(behaviour, request)) return { ...base, outcome: approvedOutcome };
  const error = behaviour.error ?? (request.verification ? 'funds-verification-failed' : 'declined-by-acquirer');
  return { ...base, outcome: declinedOutcome(trigger.isoCode, trigger.declineCode, error) };
}
