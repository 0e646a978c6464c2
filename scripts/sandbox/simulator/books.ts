/**
 * The books of one personality in memory. They change by entries only, the same way while running and when the ledger file is
 * read again at start; what may be done is decided elsewhere (`decide-*.ts`).
 */
import type { TestOutcome } from '../../../api/testing/test-cards.js';
import { defined } from '../../../shared/domain/defined.js';
import type { Personality, WireLedgerEntry, WireOutcome } from '../../../shared/processors/sandbox/wire.js';
import { type Behaviour, behaviours } from './behaviours.js';
import { approvedOutcome } from './outcomes.js';

/** What an entry holds beside its public line. */
export interface EntryDetails {
  readonly personality: Personality;
  /** Absent: plainly approved. */
  readonly outcome?: WireOutcome;
  /** The prepared outcome whose later steps (capture, refund, …) this operation remembers. */
  readonly trigger?: TestOutcome;
  readonly holdMs?: number;
  /** The outcome changes by itself at this time (ms since the epoch). */
  readonly settlesAt?: number;
  readonly settlesAs?: 'approved' | 'failed';
  readonly code?: IssuedCode;
  /** Of a partial approval: what was asked for. The line has what was approved. */
  readonly requestedMinor?: number;
  /** What the issuer compared: `M` the cvc fits, `N` it does not; `Y` the address fits, `N` it does not. */
  readonly checked?: { readonly cvc?: 'M' | 'N'; readonly avs?: 'Y' | 'N' };
  /** The entry is an update of an operation that has an entry already. */
  readonly update?: true;
}

/** A code of a bank transfer, as it was issued. */
export interface IssuedCode {
  readonly reference: string;
  /** Milliseconds since the epoch. */
  readonly expiresAtMs: number;
  readonly merchantName: string;
  /** When it pays itself, one transfer each (milliseconds since the epoch). */
  readonly paysAtMs: readonly number[];
}

export interface Entry {
  readonly line: WireLedgerEntry;
  readonly details: EntryDetails;
}

/** An operation as the processor knows it. */
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
  /** What arrived for a code. */
  readonly transfers: Operation[];
  /** The operation that a capture, cancellation or refund acts on, as it was found when it was made. */
  readonly onto?: Operation;
  /** The one that was sent before under the same key, where keys do not dedupe. */
  readonly before?: Operation;
}

export interface Books {
  /** The newest operation under a key. */
  find(key: string): Operation | undefined;
  /** The code of this reference. */
  findCode(reference: string): Operation | undefined;
  /** Every code that was issued. */
  codes(): readonly Operation[];
  /** Was this key reversed before it was seen? */
  isTombstoned(key: string): boolean;
  /** Writes an entry into the books; `ticket` is the processor's number of it. */
  apply(entry: Entry, ticket: string): void;
  /** Operations whose outcome still changes by itself. */
  unsettled(): readonly Operation[];
}

export const stands = (operation: Operation) =>
  !operation.reversed && (operation.outcome.result === 'approved' || operation.outcome.result === 'pending');

/** The newest operation under a key that is still in effect. */
export function findStanding(books: Books, key: string): Operation | undefined {
  let operation = books.find(key);
  while (operation !== undefined && !stands(operation)) operation = operation.before;
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

  /** The effect of a follow-up on the operation it acts on: `direction` -1 takes it back. */
  function affect({ line, onto }: Operation, direction: 1 | -1): void {
    if (onto === undefined) return;
    if (line.kind === 'transfer') onto.capturedMinor += direction * line.amountMinor;
    if (line.kind === 'capture') onto.capturedMinor += direction * line.amountMinor;
    if (line.kind === 'refund') onto.refundedMinor += direction * line.amountMinor;
    if (line.kind === 'cancellation') onto.cancelled = direction === 1;
  }

  /** A code is found by its reference, and knows what arrived for it. */
  function noteCode(operation: Operation): void {
    const { code, line, onto } = operation;
    if (code !== undefined) codes.set(code.reference, operation);
    if (line.kind === 'transfer') onto?.transfers.push(operation);
  }

  function applyOperation(line: WireLedgerEntry, details: EntryDetails, ticket: string): void {
    const before = operations.get(line.key);
    const onto = line.original === null ? undefined : findStanding(books, line.original);
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
        onto,
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
    if (!stands(operation)) return;
    if (line.kind === 'purchase') operation.capturedMinor = line.amountMinor;
    affect(operation, 1);
  }

  function applyUpdate(line: WireLedgerEntry, details: EntryDetails): void {
    const isOf = (one: Operation) => one.line.key === line.key;
    const operation = [...settling].find(isOf) ?? [...codes.values()].find(isOf);
    if (operation === undefined) return;
    settling.delete(operation);
    const stood = stands(operation);
    operation.outcome = details.outcome ?? approvedOutcome;
    if (stood && !stands(operation)) affect(operation, -1);
  }

  function applyReversal(line: WireLedgerEntry): void {
    if (line.original === null) return;
    if (line.result === 'tombstone') {
      tombstones.add(line.original);
      return;
    }
    const operation = findStanding(books, line.original);
    if (operation === undefined) return;
    affect(operation, -1);
    operation.reversed = true;
    settling.delete(operation);
  }

  return books;
}
