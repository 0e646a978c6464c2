/** Compares the books of one processor for a period with the payments. Used by the pool's audit and by `./gateway reconcile`. */
import { limits } from '../../../config/limits.js';
import { beginComparison, type Comparison, type Finding } from '../../../shared/domain/reconcile/compare-books.js';
import { after } from '../../../shared/domain/time.js';
import type { Processor } from '../../../shared/processors/processor.js';
import type { PaymentRepository } from '../../../shared/store/payment.repository.js';
import { inquireRequest } from '../processor-requests.js';

export interface BooksDeps {
  readonly payments: Pick<PaymentRepository, 'findById' | 'findByTransactions' | 'pagesMadeWithin'>;
  /** Ids of all clients. */
  clientIds(): Promise<readonly string[]>;
  /** Called with a difference about which the processor could not be asked. It counts as one, and holds up no other. */
  notAsked(processor: string, finding: Finding, error: unknown): void;
}

/** The processor did not list its books. */
export class BooksNotListedError extends Error {
  override readonly name = 'BooksNotListedError';
}

/** A processor whose adapter can list its books. */
export type ListingProcessor = Processor & Required<Pick<Processor, 'listSince'>>;

export const listsBooks = (processor: Processor): processor is ListingProcessor => processor.listSince !== undefined;

/** Adds the payments of the period, and those that the entries are about; most payments are both. */
async function addPayments(deps: BooksDeps, comparison: Comparison, from: Date, until: Date): Promise<void> {
  const { payments } = deps;
  const since = after(from, -limits.booksMadeBeforeMs);
  for (const clientId of await deps.clientIds()) {
    for await (const page of payments.pagesMadeWithin(clientId, since, until)) comparison.add(page);
  }
  const keysAtOnce = { index: limits.booksKeysAtOnce, scan: limits.booksKeysScannedFor };
  for (const where of ['index', 'scan'] as const) {
    const keys = comparison.unknown();
    for (let at = 0; at < keys.length; at += keysAtOnce[where]) {
      comparison.add(await payments.findByTransactions(keys.slice(at, at + keysAtOnce[where]), where));
    }
  }
}

/** Whether a difference still exists: it may have ended since, or be outside of the list. The processor has the last word about one key. */
async function isStillDifferent(deps: BooksDeps, processor: Processor, finding: Finding): Promise<boolean> {
  if (finding.kind !== 'contradicted' && finding.kind !== 'missing') return true;
  const payment = finding.paymentId === undefined ? undefined : await deps.payments.findById(finding.paymentId);
  // Such a processor cannot be asked about a key without sending the request again.
  if (!payment || processor.traits.inquiresBySending) return true;
  try {
    const answer = await processor.inquire(inquireRequest(payment, finding.key));
    const isThere = answer.kind === 'found' && answer.outcome.kind === 'approved';
    return answer.kind === 'no-answer' || isThere === (finding.kind === 'contradicted');
  } catch (error) {
    deps.notAsked(processor.code, finding, error);
    return true;
  }
}

/** Returns the differences of a period. @throws {BooksNotListedError} */
export async function compareWindow(
  deps: BooksDeps,
  processor: ListingProcessor,
  from: Date,
  until: Date,
): Promise<readonly Finding[]> {
  const { booksMarginMs } = limits;
  const listed = processor.listSince(after(from, -booksMarginMs), after(until, booksMarginMs));
  const entries = await listed.catch((cause: unknown) => {
    const { message } = cause as Error;
    throw new BooksNotListedError(`${processor.code}: ${message}`, { cause });
  });
  const comparison = beginComparison({ processor: processor.code, entries, from, until });
  await addPayments(deps, comparison, from, after(until, booksMarginMs));
  const sure: Finding[] = [];
  for (const finding of comparison.findings()) if (await isStillDifferent(deps, processor, finding)) sure.push(finding);
  return sure;
}
