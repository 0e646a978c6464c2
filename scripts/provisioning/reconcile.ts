/** Compares the books of the processors with the payments, imports what the payments lack, and ends safe mode. */
import { limits } from '../../config/limits.js';
import type { PlanContext } from '../../shared/domain/payment/plan-context.js';
import { after, DAY_MS, earliest, MINUTE_MS, msBetween } from '../../shared/domain/time.js';
import type { Processor } from '../../shared/processors/processor.js';
import { createFindingRepository, type FindingRow } from '../../shared/store/book-finding.repository.js';
import type { Database } from '../../shared/store/database.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createReferenceReservations } from '../../shared/store/reference-reservation.repository.js';
import { endSafeMode, readSafeMode, type SafeMode } from '../../shared/store/restore-watch.js';
import {
  type BooksDeps,
  BooksNotListedError,
  compareWindow,
  type ListingProcessor,
  listsBooks,
} from '../../workers/processor/books/compare-window.js';
import {
  hasApproved,
  type ImportDeps,
  importFinding,
  TAKEN_OVER,
} from '../../workers/processor/books/import-finding.js';
import { type Provisioning, ProvisioningError } from './provisioning.js';

export interface ReconcileDeps {
  readonly database: Database;
  readonly provisioning: Pick<Provisioning, 'clients' | 'merchants' | 'clock'>;
  /** Processors of this installation. */
  readonly processors: readonly Processor[];
  /** Codes of the processors whose books are to be compared: those that were named, or all that may have done something. */
  readonly wanted: readonly string[];
  planContext(): PlanContext;
  progress(text: string): void;
}

export interface ReconcileRequest {
  readonly since: Date;
  /** Imports what can be imported, and ends safe mode when nothing remains that might be done twice. */
  readonly imports: boolean;
  /** Processors whose books a person has compared. */
  readonly compared: readonly string[];
}

export interface Reconciled {
  readonly since: Date;
  readonly until: Date;
  /** Open findings, and findings that were imported just now. */
  readonly findings: readonly FindingRow[];
  /** Processors whose books were compared here, and processors whose books cannot be listed. */
  readonly listed: readonly string[];
  readonly unlisted: readonly string[];
  /** `ended`: safe mode was on, and this run ended it. */
  readonly safeMode: 'off' | 'on' | 'ended';
  /** Why safe mode goes on. */
  readonly blockedBy: readonly string[];
  /** Payments whose unsent work is inquired before it is sent. */
  readonly distrusted: number;
  /** Payments whose delayed capture or release may already have been done. They wait for a person. */
  readonly held: readonly string[];
}

function openDeps({ database, provisioning, planContext, progress }: ReconcileDeps) {
  const payments = createPaymentRepository(database, false);
  const { clients, merchants } = provisioning;
  const imports: ImportDeps = {
    payments,
    reservations: createReferenceReservations(database),
    clientOf: async (merchantId) => (await merchants.findMerchant(merchantId))?.clientId,
    planContext,
  };
  const clientIds = async () => (await clients.findClients()).map(({ _id }) => _id);
  const notAsked: BooksDeps['notAsked'] = (code, { key, paymentId }, error) =>
    progress(`${code}: could not be asked about ${key} of ${paymentId}: ${(error as Error).message}`);
  return { payments, imports, books: { payments, clientIds, notAsked }, findings: createFindingRepository(database) };
}

type Opened = ReturnType<typeof openDeps>;

/** Turns the error into a sentence that says what is wrong at the processor, and that nothing is lost. */
const notListed = (error: unknown) =>
  error instanceof BooksNotListedError
    ? new ProvisioningError(`${error.message}. Run it again when it does; what was taken over so far stays.`)
    : error;

/** Compares the books of one processor, window by window, oldest first: a later line may act on what an earlier line imports. */
async function reconcileOne(
  { books, findings, imports: importDeps }: Opened,
  { provisioning, progress }: ReconcileDeps,
  processor: ListingProcessor,
  { since, imports }: ReconcileRequest,
  until: Date,
): Promise<readonly FindingRow[]> {
  const rows: FindingRow[] = [];
  let [reported, reportedAt] = [0, since];
  for (let from = since; from < until; from = after(from, limits.booksWindowMs)) {
    const end = earliest(until, after(from, limits.booksWindowMs));
    const found = await compareWindow(books, processor, from, end).catch((error: unknown) => {
      throw notListed(error);
    });
    const noted = await findings.note(processor.code, found, provisioning.clock.now());
    for (const [at, finding] of found.entries()) {
      const { isNew: _new, ...row } = noted[at] as FindingRow & { isNew: boolean };
      if (row.status !== 'open') continue;
      if (!imports) {
        rows.push(row);
        continue;
      }
      // A difference about which the processor cannot be asked must not keep those behind it from being taken over.
      const { kind, note } = await importFinding(importDeps, processor, finding).catch((error: unknown) => {
        books.notAsked(processor.code, finding, error);
        return { kind: 'refused', note: 'the processor could not be asked about it: run it again' } as const;
      });
      const status = kind === 'imported' ? 'imported' : 'open';
      // Another operator may have handled this finding.
      if (!(await findings.mark(row._id, status, note))) continue;
      rows.push({ ...row, status, note });
    }
    const isDayDone = end >= until || msBetween(reportedAt, end) >= DAY_MS;
    if (!isDayDone && rows.length === reported) continue;
    progress(`${processor.code}: compared up to ${end.toISOString()}, ${rows.length} findings`);
    reported = rows.length;
    reportedAt = end;
  }
  return rows;
}

/** Closes findings that no comparison finds any more: a run that was cut off imported them without a note, or the outcome arrived. */
async function closeTakenOver({ findings, payments }: Opened, listed: readonly string[]): Promise<void> {
  let after: string | undefined;
  for (;;) {
    const page = (await findings.list('open', limits.operatorListed, after)) ?? [];
    for (const { _id, kind, key, processor, paymentId } of page) {
      if (!listed.includes(processor) || (kind !== 'unknown-operation' && kind !== 'not-settled')) continue;
      const payment = paymentId === undefined ? undefined : await payments.findById(paymentId);
      if (payment && hasApproved(payment, key)) await findings.mark(_id, 'imported', TAKEN_OVER);
    }
    after = page.at(-1)?._id;
    if (page.length < limits.operatorListed) return;
  }
}

/** Whether the operation might be repeated, because the gateway does not know of it. A lost payment accepts no further operation. */
export const mayRepeat = ({ kind, status, paymentId }: FindingRow) =>
  status === 'open' && (kind === 'unknown-payment' || (kind === 'unknown-operation' && paymentId !== undefined));

const skippedIn = (since: Date, { from }: SafeMode) =>
  from && since > from
    ? [`nothing was compared from ${from.toISOString()} to ${since.toISOString()}: leave out --since`]
    : [];

/** @throws {ProvisioningError} when `since` leaves nothing to compare, or a processor does not list its books */
export async function reconcile(deps: ReconcileDeps, request: ReconcileRequest): Promise<Reconciled> {
  const { database, processors, wanted, provisioning } = deps;
  const { since, imports, compared } = request;
  const opened = openDeps(deps);
  const was = await readSafeMode(database);
  // In safe mode nothing is in progress.
  const until = after(provisioning.clock.now(), was ? 0 : -limits.booksGraceMs);
  if (!was && since >= until) {
    const minutes = limits.booksGraceMs / MINUTE_MS;
    throw new ProvisioningError(
      `Nothing to compare: what is younger than ${minutes} minutes may still be in progress. Say an earlier --since.`,
    );
  }
  // Comparing takes long, so the operator learns this beforehand.
  for (const reason of was ? skippedIn(since, was) : []) deps.progress(`Safe mode will go on, because ${reason}`);
  if (!was && compared.length > 0)
    deps.progress('--compared counts in safe mode only, which is off: it has no effect.');
  const listing = processors.filter(listsBooks);
  const findings: FindingRow[] = [];
  for (const processor of listing) findings.push(...(await reconcileOne(opened, deps, processor, request, until)));
  const listed = listing.map(({ code }) => code);
  if (imports) await closeTakenOver(opened, listed);
  const unlisted = wanted.filter((code) => !listed.includes(code));
  const base = { since, until, findings, listed, unlisted };
  // Another operator may have ended safe mode meanwhile, or stated that the backup is older.
  const safeMode = was && (await readSafeMode(database));
  if (!safeMode) return { ...base, safeMode: 'off', blockedBy: [], distrusted: 0, held: [] };
  const blockedBy = [
    ...(imports ? [] : ['nothing was imported: run it with --import']),
    ...skippedIn(since, safeMode),
    ...unlisted
      .filter((code) => !compared.includes(code))
      .map(
        (code) =>
          `${code} was not compared: compare its books by hand where it cannot be listed, then say --compared ${code}`,
      ),
    // What was not imported yet has to be imported, not settled: settling marks no reference as used.
    ...findings
      .filter((row) => imports && mayRepeat(row))
      .map(({ _id }) => `${_id} might be repeated: see its note, then \`findings settle\` it`),
  ];
  if (blockedBy.length > 0) return { ...base, safeMode: 'on', blockedBy, distrusted: 0, held: [] };
  const distrusted = await opened.payments.distrustUnsent(provisioning.clock.now());
  const held = await opened.payments.holdDueDeadlines(listed, provisioning.clock.now());
  await endSafeMode(database, provisioning.clock.now());
  return { ...base, safeMode: 'ended', blockedBy, distrusted, held };
}
