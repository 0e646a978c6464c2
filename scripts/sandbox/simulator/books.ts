/**
 * The books of one personality in memory. Only entries change them, in the same way while running and when the ledger file is
 * read again at start. Other files decide what is allowed (`decide-*.ts`).
 */
import type { TestOutcome } from '../../../api/testing/test-cards.js';
import { defined } from '../../../shared/domain/defined.js';
import type { Personality, WireLedgerEntry, WireOutcome } from '../../../shared/processors/sandbox/wire.js';
import { type Behaviour, behaviours } from './behaviours.js';
import { approvedOutcome } from './outcomes.js';

/** Data of an entry beside its public line. */
export interface EntryDetails {
  readonly personality: Personality;
  /** Absent: simply approved. */
  readonly outcome?: WireOutcome;
  /** The prepared outcome of the card or amount, for later steps (capture, refund, …) on this operation. */
  readonly trigger?: TestOutcome;
  readonly holdMs?: number;
  /** When the outcome changes without a request (ms since the epoch). */
  readonly settlesAt?: number;
  readonly settlesAs?: 'approved' | 'failed';
  readonly code?: IssuedCode;
  /** Requested amount of a partial approval. The line has the approved amount. */
  readonly requestedMinor?: number;
  /** Result of the issuer's checks: `M` the cvc matches, `N` it does not; `Y` the address matches, `N` it does not. */
  readonly checked?: { readonly cvc?: 'M' | 'N'; readonly avs?: 'Y' | 'N' };
  /** The entry updates an operation that has an entry already. */
  readonly update?: true;
}

/** An issued code of a bank transfer. */
export interface IssuedCode {
  readonly reference: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  readonly merchantName: string;
  /** When the code is paid without a payer, one transfer each (milliseconds since the epoch). */
  readonly paysAtMs: readonly number[];
}

export interface Entry {
  readonly line: WireLedgerEntry;
  readonly details: EntryDetails;
}

/** An operation as the processor stores it. */
export interface Operation {
  readonly line: WireLedgerEntry;
  readonly atMs: number;
  readonly ticket: string;
  outcome: WireOutcome;
  readonly behaviour: Behaviour;
  readonly holdMs?: number;
  settlesAt?: number;
  readonly settlesAs?: 'approved' | 'failed';
  capturedMinor: number;
  refundedMinor: number;
  cancelled: boolean;
  reversed: boolean;
  readonly code?: IssuedCode;
  readonly requestedMinor?: number;
  readonly checked?: EntryDetails['checked'];
  /** Transfers that arrived for a code. */
  readonly transfers: Operation[];
  /** The operation that a capture, cancellation or refund acts on, found when it was made. */
  readonly originalOperation?: Operation;
  /** The earlier operation under the same key, when keys do not dedupe. */
  readonly before?: Operation;
}

export interface Books {
  /** Finds the newest operation under a key. */
  find(key: string): Operation | undefined;
  /** Finds the code with this reference. */
  findCode(reference: string): Operation | undefined;
  /** All codes that were issued. */
  codes(): readonly Operation[];
  /** Whether this key was reversed before it was seen. */
  isTombstoned(key: string): boolean;
  /** Applies an entry to the books. `ticket` is the processor's number of it. */
  apply(entry: Entry, ticket: string): void;
  /** Operations whose outcome still changes without a request. */
  unsettled(): readonly Operation[];
}

export const isEffective = (operation: Operation) =>
  !operation.reversed && (operation.outcome.result === 'approved' || operation.outcome.result === 'pending');

/** Finds the newest operation under a key that is still in effect. */
export function findEffective(books: Books, key: string): Operation | undefined {
  let operation = books.find(key);
  while (operation !== undefined && !isEffective(operation)) operation = operation.before;
  return operation;
}

export function createBooks(): Books {
  const operations = new Map<string, Operation>();
  const tombstones = new Set<string>();
  const settling = new Set<Operation>();
  const codes = new Map<string, Operation>();

  const books: Books = {
    find: (key) => operations.get(key),
    findCode: (reference) => codes.get(reference),
    codes: () => [...codes.values()],
    isTombstoned: (key) => tombstones.has(key),
    unsettled: () => [...settling],
    apply({ line, details }, ticket) {
      if (line.kind === 'reversal') applyReversal(line);
      else if (details.update === true) applyUpdate(line, details);
      else applyOperation(line, details, ticket);
    },
  };

  /** Applies a follow-up to the operation it acts on. `direction` -1 undoes it. */
  function applyToOriginal({ line, originalOperation }: Operation, direction: 1 | -1): void {
    if (originalOperation === undefined) return;
    if (line.kind === 'transfer') originalOperation.capturedMinor += direction * line.amountMinor;
    if (line.kind === 'capture') originalOperation.capturedMinor += direction * line.amountMinor;
    if (line.kind === 'refund') originalOperation.refundedMinor += direction * line.amountMinor;
    if (line.kind === 'cancellation') originalOperation.cancelled = direction === 1;
  }

  /** Indexes a code by its reference, and adds arrived transfers to their code. */
  function noteCode(operation: Operation): void {
    const { code, line, originalOperation } = operation;
    if (code !== undefined) codes.set(code.reference, operation);
    if (line.kind === 'transfer') originalOperation?.transfers.push(operation);
  }

  function applyOperation(line: WireLedgerEntry, details: EntryDetails, ticket: string): void {
    const before = operations.get(line.key);
    const originalOperation = line.original === null ? undefined : findEffective(books, line.original);
    const operation: Operation = {
      line,
      atMs: Date.parse(line.at),
      ticket,
      outcome: details.outcome ?? approvedOutcome,
      behaviour: behaviours[details.trigger ?? 'approved'],
      ...defined({
        holdMs: details.holdMs,
        settlesAt: details.settlesAt,
        settlesAs: details.settlesAs,
        code: details.code,
        requestedMinor: details.requestedMinor,
        checked: details.checked,
        originalOperation,
        before,
      }),
      transfers: [],
      capturedMinor: 0,
      refundedMinor: 0,
      cancelled: false,
      reversed: false,
    };
    if (operation.settlesAt !== undefined) settling.add(operation);
    operations.set(line.key, operation);
    noteCode(operation);
    if (!isEffective(operation)) return;
    if (line.kind === 'purchase') operation.capturedMinor = line.amountMinor;
    applyToOriginal(operation, 1);
  }

  function applyUpdate(line: WireLedgerEntry, details: EntryDetails): void {
    const isOf = (one: Operation) => one.line.key === line.key;
    const operation = [...settling].find(isOf) ?? [...codes.values()].find(isOf);
    if (operation === undefined) return;
    settling.delete(operation);
    const wasEffective = isEffective(operation);
    operation.outcome = details.outcome ?? approvedOutcome;
    if (wasEffective && !isEffective(operation)) applyToOriginal(operation, -1);
  }

  function applyReversal(line: WireLedgerEntry): void {
    if (line.original === null) return;
    if (line.result === 'tombstone') {
      tombstones.add(line.original);
      return;
    }
    const operation = findEffective(books, line.original);
    if (operation === undefined) return;
    applyToOriginal(operation, -1);
    operation.reversed = true;
    settling.delete(operation);
  }

  return books;
}
