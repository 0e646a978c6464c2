/**
 * The continuous comparison of processors' books with the payments, and the search through all payments for orphans, which no process will
 * continue (I2). Part of the pool's sweep: one process at a time, a bounded piece each time (docs/operations.md, "Reconciliation").
 */
import { limits } from '../../../config/limits.js';
import { findingKinds } from '../../../shared/domain/reconcile/compare-books.js';
import { after, earliest } from '../../../shared/domain/time.js';
import type { Processor } from '../../../shared/processors/processor.js';
import type { FindingRepository } from '../../../shared/store/book-finding.repository.js';
import type { PaymentRepository } from '../../../shared/store/payment.repository.js';
import type { PoolDeps } from '../../pool.js';
import { type BooksDeps, compareWindow, type ListingProcessor, listsBooks } from './compare-window.js';

export interface AuditDeps extends Pick<PoolDeps, 'clock' | 'log'> {
  readonly metrics: Pick<PoolDeps['metrics'], 'event' | 'bookFindings' | 'orphans'>;
  readonly books: BooksDeps;
  readonly findings: Pick<FindingRepository, 'note' | 'countOpen' | 'claim' | 'advance'>;
  readonly payments: Pick<PaymentRepository, 'findOrphans'>;
  readonly processors: readonly Processor[];
}

/** Compares one window of entries that are older than the grace period; returns how many differences are new. */
async function auditOne({ books, findings, clock, log, metrics }: AuditDeps, processor: ListingProcessor) {
  const now = clock.now();
  const from = await findings.claim(processor.code, now);
  if (!from) return 0;
  const ripe = after(now, -limits.booksGraceMs);
  const until = earliest(ripe, after(from, limits.booksWindowMs));
  if (until <= from) {
    await findings.advance(processor.code, from, after(now, limits.booksEveryMs));
    return 0;
  }
  const noted = await findings.note(processor.code, await compareWindow(books, processor, from, until), now);
  const fresh = noted.filter(({ isNew }) => isNew);
  for (const { kind, key, paymentId } of fresh) {
    metrics.event('books-differ');
    log.error('books.differ', { code: processor.code, kind, txId: key, ...(paymentId !== undefined && { paymentId }) });
  }
  // The next sweeps compare the rest.
  await findings.advance(processor.code, until, until < ripe ? now : after(now, limits.booksEveryMs));
  return fresh.length;
}

/**
 * Searches all payments for orphans, one page at a time, round after round. Each process does this by itself: reading changes nothing. A
 * page that could not be read is tried again by the next call, and holds up nothing else.
 */
function createOrphanRound({ payments, log, metrics }: AuditDeps) {
  let cursor: string | undefined;
  /** Orphans of the round before, and of this round so far. */
  let before = new Set<string>();
  let round = new Set<string>();
  const searchPage = async () => {
    const { found, next } = await payments.findOrphans(cursor, limits.orphansPage);
    for (const id of found) {
      round.add(id);
      if (before.has(id)) continue;
      before.add(id);
      metrics.event('orphan-found');
      log.error('payment.orphaned', { paymentId: id });
    }
    cursor = next;
    metrics.orphans(before.size);
    if (next !== undefined) return;
    // Payments that this round did not find any more were repaired.
    metrics.orphans(round.size);
    before = round;
    round = new Set();
  };
  return () => searchPage().catch((error: unknown) => log.warn('payment.orphans-not-searched', { error }));
}

export interface BooksAudit {
  /** Does one bounded piece; returns how many differences are new. */
  sweep(): Promise<number>;
}

export function createBooksAudit(deps: AuditDeps): BooksAudit {
  const { clock, log, metrics, findings } = deps;
  const lookForOrphans = createOrphanRound(deps);
  let lookedMs = Number.NEGATIVE_INFINITY;

  const auditAll = async () => {
    let fresh = 0;
    for (const processor of deps.processors.filter(listsBooks)) {
      try {
        fresh += await auditOne(deps, processor);
      } catch (error) {
        log.warn('books.not-compared', { code: processor.code, error });
      }
    }
    const open = await findings.countOpen();
    metrics.bookFindings(Object.fromEntries(findingKinds.map((kind) => [kind, open[kind] ?? 0])));
    return fresh;
  };

  return {
    async sweep() {
      const nowMs = clock.now().getTime();
      if (nowMs - lookedMs < limits.orphansEveryMs) return 0;
      lookedMs = nowMs;
      await lookForOrphans();
      return auditAll();
    },
  };
}
