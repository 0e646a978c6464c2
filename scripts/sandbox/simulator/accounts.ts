/**
 * Every personality's books together with the ledger file. An entry goes into both, and the books are rebuilt from the
 * file at start. Refunds whose outcome changes later are settled here, also after a restart.
 */
import type { Clock } from '../../../shared/clock.js';
import { responseCodes } from '../../../shared/domain/response-codes.js';
import {
  type Personality,
  personalities,
  type WireLedgerEntry,
  type WireLedgerKind,
  type WireOperation,
} from '../../../shared/processors/sandbox/wire.js';
import { type Books, createBooks, type Entry, type EntryDetails, type Operation } from './books.js';
import { formatEntry, parseEntry } from './entry-line.js';
import type { LedgerFile } from './ledger-file.js';
import { approvedOutcome, failedOutcome } from './outcomes.js';

export type OperationRequest = WireOperation & {
  readonly original?: string;
  readonly proof?: { readonly eci?: string };
  readonly credential?: { readonly card?: { readonly networkToken?: { readonly eci?: string } } };
  readonly order?: { readonly referenceId: string };
  readonly referenceId?: string;
  readonly merchant?: { readonly id: number };
};

export interface Accounts {
  readonly books: Readonly<Record<Personality, Books>>;
  record(line: Omit<WireLedgerEntry, 'at'>, details: EntryDetails): void;
  recordOperation(
    personality: Personality,
    kind: WireLedgerKind,
    request: OperationRequest,
    details: Omit<EntryDetails, 'personality'>,
  ): Operation;
  nowMs(): number;
  /** Returns a wait divided by the time scale, at least 1 ms. */
  scaled(ms: number): number;
  close(): void;
}

const TICKET_BASE = 100_000_000;

/** Data of the merchant in an acquirer's list: who it is, and its own reference of the payment or operation. */
function merchantPart({ original, order, referenceId, merchant }: OperationRequest) {
  const reference = original === undefined ? order?.referenceId : referenceId;
  return {
    ...(typeof reference === 'string' && { referenceId: reference }),
    ...(Number.isSafeInteger(merchant?.id) && { merchantId: merchant?.id as number }),
  };
}

/** Builds the books from the ledger file. `timeScale` divides every wait. */
export async function openAccounts(ledger: LedgerFile, clock: Clock, timeScale: number): Promise<Accounts> {
  const books = Object.fromEntries(personalities.map((one) => [one, createBooks()])) as Record<Personality, Books>;
  const timers = new Set<NodeJS.Timeout>();
  let entries = 0;
  const nowMs = () => clock.now().getTime();

  function enter(entry: Entry): void {
    entries += 1;
    books[entry.details.personality].apply(entry, String(TICKET_BASE + entries));
  }

  function record(line: Omit<WireLedgerEntry, 'at'>, details: EntryDetails): void {
    const entry: Entry = { line: { ...line, at: clock.now().toISOString() }, details };
    enter(entry);
    // A caller that must not answer before the entry is on the disk waits for `ledger.flushed()`.
    void ledger.append(formatEntry(entry));
  }

  /** Records the settlement as a line of its own: an append-only ledger leaves the first line unchanged. */
  function settleLater(personality: Personality, operation: Operation): void {
    const { line, settlesAt, settlesAs } = operation;
    if (settlesAt === undefined || settlesAs === undefined) return;
    const settle = () => {
      timers.delete(timer);
      if (!books[personality].unsettled().includes(operation)) return;
      const outcome =
        settlesAs === 'approved'
          ? approvedOutcome
          : failedOutcome(responseCodes.systemMalfunction, 'Failed at the issuer');
      record({ ...line, result: settlesAs }, { personality, update: true, outcome });
    };
    const timer = setTimeout(settle, Math.max(1, settlesAt - nowMs()));
    timers.add(timer);
  }

  for await (const text of ledger.lines()) enter(parseEntry(text));
  for (const one of personalities) for (const operation of books[one].unsettled()) settleLater(one, operation);

  return {
    books,
    record,
    recordOperation(personality, kind, request, { outcome, ...details }) {
      const { key, original = null, amountMinor, currency, proof, credential } = request;
      // The ECI comes from 3D Secure, or from the device or token requestor that made the cryptogram.
      const said = proof?.eci ?? credential?.card?.networkToken?.eci;
      const eci = said === undefined ? {} : { eci: said };
      const { result } = outcome ?? approvedOutcome;
      const ordered = outcome === undefined || outcome === approvedOutcome ? {} : { outcome };
      const line = { kind, key, original, amountMinor, currency, result, ...eci, ...merchantPart(request) };
      record(line, { personality, ...details, ...ordered });
      const operation = books[personality].find(key);
      if (operation === undefined) throw new Error('an entry did not reach the books');
      settleLater(personality, operation);
      return operation;
    },
    nowMs,
    scaled: (ms) => Math.max(1, Math.round(ms / timeScale)),
    close() {
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
