/**
 * Codes for bank transfers: issued for the gateway, then paid or rejected by the payer on a page (bank-pages.ts) or automatically
 * for prepared amounts. All of it is in the books, so that a restart loses nothing.
 */
import { randomBytes } from 'node:crypto';
import { type QrOutcome, testQrAmounts } from '../../../api/testing/test-amounts.js';
import { defined } from '../../../shared/domain/defined.js';
import { responseCodes } from '../../../shared/domain/response-codes.js';
import {
  type Personality,
  personalities,
  type WireAnswer,
  type WireCode,
  type WireCodeRequest,
  type WireTransfers,
} from '../../../shared/processors/sandbox/wire.js';
import type { Accounts } from './accounts.js';
import { waits } from './behaviours.js';
import type { Operation } from './books.js';
import { declinedOutcome, pendingOutcome } from './outcomes.js';

export type CodeState = 'open' | 'paid' | 'rejected' | 'expired' | 'cancelled';

/** A code as its page shows it. */
export interface ShownCode {
  readonly operation: Operation;
  readonly personality: Personality;
  readonly state: CodeState;
}

export interface Codes {
  /** Issues a code. Without an answer: the key was used for another request. */
  issue(personality: Personality, request: WireCodeRequest): { readonly answer?: WireCode | WireAnswer };
  /** `undefined`: there is no such code. */
  transfersOf(personality: Personality, key: string): WireTransfers | undefined;
  find(reference: string): ShownCode | undefined;
  /** Pays a code, also late and a second time: a bank should not do this, but tests need it. False when the code is closed. */
  pay(reference: string): boolean;
  reject(reference: string): void;
  close(): void;
}

const SCHEME = 'com.example.instant';
const REFERENCE_BYTES = 12;

const outcomes = new Map<number, QrOutcome>(testQrAmounts.map(({ amountMinor, outcome }) => [amountMinor, outcome]));

/** Returns when a code is paid without a payer (milliseconds since the epoch), by its amount. */
function paymentsOf(outcome: QrOutcome | undefined, nowMs: number, expiresAtMs: number, scaled: Accounts['scaled']) {
  const first = nowMs + scaled(waits.transferMs);
  if (outcome === 'paid') return [first];
  if (outcome === 'paid-twice') return [first, first + scaled(waits.secondTransferMs)];
  return outcome === 'paid-after-expiry' ? [expiresAtMs + scaled(waits.transferMs)] : [];
}

function answerOf({ line, code, ticket, outcome }: Operation): WireCode | WireAnswer {
  const { key, amountMinor, currency } = line;
  const base = { key, amountMinor, currency, ticket };
  if (!code) return { ...base, ...outcome };
  return { ...base, result: 'issued', scheme: SCHEME, account: 'SANDBOX', reference: code.reference };
}

/** Returns the transfers that arrived for a code, and why it was rejected. */
function transfersFor({ outcome, transfers, cancelled, line: { key } }: Operation): WireTransfers {
  const { resultCode, resultMessage, declineCode, result } = outcome;
  return {
    key,
    result: 'found',
    transfers: transfers.map(({ line, ticket }) => ({
      id: ticket,
      paidAt: line.at,
      amountMinor: line.amountMinor,
      currency: line.currency,
      returned: cancelled,
    })),
    ...(result === 'declined' && { rejected: { resultCode, resultMessage, ...defined({ declineCode }) } }),
  };
}

function stateOf({ cancelled, outcome, transfers, code }: Operation, nowMs: number): CodeState {
  const states: readonly [boolean, CodeState][] = [
    [cancelled, 'cancelled'],
    [outcome.result === 'declined', 'rejected'],
    [transfers.length > 0, 'paid'],
    [nowMs >= (code?.expiresAtMs ?? 0), 'expired'],
  ];
  return states.find(([is]) => is)?.[1] ?? 'open';
}

const isOpen = ({ outcome, cancelled }: Operation) => outcome.result === 'pending' && !cancelled;

export function createCodes(accounts: Accounts): Codes {
  const { books, nowMs, scaled, record, recordOperation } = accounts;
  const timers = new Set<NodeJS.Timeout>();

  const locate = (reference: string) => {
    for (const personality of personalities) {
      const operation = books[personality].findCode(reference);
      if (operation) return { operation, personality };
    }
    return undefined;
  };

  const transfer = (personality: Personality, code: Operation): boolean => {
    if (!isOpen(code)) return false;
    const { key: original, amountMinor, currency } = code.line;
    const key = `${original}-transfer-${code.transfers.length + 1}`;
    recordOperation(personality, 'transfer', { key, original, amountMinor, currency }, {});
    return true;
  };

  const payLater = (personality: Personality, code: Operation) => {
    for (const [index, at] of (code.code?.paysAtMs ?? []).entries()) {
      if (index < code.transfers.length) continue;
      const timer = setTimeout(
        () => {
          timers.delete(timer);
          transfer(personality, code);
        },
        Math.max(1, at - nowMs()),
      );
      timers.add(timer);
    }
  };

  for (const personality of personalities) {
    for (const code of books[personality].codes()) if (isOpen(code)) payLater(personality, code);
  }

  return {
    issue(personality, request) {
      const known = books[personality].find(request.key);
      if (known) {
        const { amountMinor, currency, kind } = known.line;
        const same = amountMinor === request.amountMinor && currency === request.currency && kind === 'code';
        return same ? { answer: answerOf(known) } : {};
      }
      const { key, amountMinor, currency, merchant } = request;
      const outcome = outcomes.get(amountMinor);
      if (outcome === 'rejected') {
        const refused = declinedOutcome(responseCodes.notPermittedToCardholder, 'transfer_not_allowed');
        return {
          answer: answerOf(recordOperation(personality, 'code', { key, amountMinor, currency }, { outcome: refused })),
        };
      }
      const expiresAtMs = Date.parse(request.expiresAt);
      const code = {
        reference: randomBytes(REFERENCE_BYTES).toString('hex').toUpperCase(),
        expiresAtMs,
        merchantName: merchant.name,
        paysAtMs: paymentsOf(outcome, nowMs(), expiresAtMs, scaled),
      };
      const details = { outcome: pendingOutcome, code };
      const issued = recordOperation(personality, 'code', { key, amountMinor, currency }, details);
      payLater(personality, issued);
      return { answer: answerOf(issued) };
    },

    transfersOf(personality, key) {
      const code = books[personality].find(key);
      return code?.line.kind === 'code' ? transfersFor(code) : undefined;
    },

    find(reference) {
      const found = locate(reference);
      return found && { ...found, state: stateOf(found.operation, nowMs()) };
    },

    pay(reference) {
      const found = locate(reference);
      return found !== undefined && transfer(found.personality, found.operation);
    },

    reject(reference) {
      const found = locate(reference);
      if (!found || !isOpen(found.operation) || found.operation.transfers.length > 0) return;
      const { personality, operation } = found;
      const outcome = declinedOutcome(responseCodes.doNotHonor, 'rejected_by_payer');
      record({ ...operation.line, result: 'declined' }, { personality, update: true, outcome });
    },

    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
