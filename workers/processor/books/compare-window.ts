/** The books of one processor for a while, compared with the payments. Used by the pool's audit and by `./gateway reconcile`. */
import { limits } from '../../../config/limits.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import {
  type BookEntry,
  compareBooks,
  effectsOf,
  type Finding,
} from '../../../shared/domain/reconcile/compare-books.js';
import { after } from '../../../shared/domain/time.js';
import type { Processor } from '../../../shared/processors/processor.js';
import type { PaymentRepository } from '../../../shared/store/payment.repository.js';
import { inquireRequest } from '../processor-requests.js';

export interface BooksDeps {
  readonly payments: Pick<PaymentRepository, 'findByTransactions' | 'findMadeWithin'>;
  /** Ids of all clients. */
  clientIds(): Promise<readonly string[]>;
}

/** Its adapter has this method. */
export type ListingProcessor = Processor & Required<Pick<Processor, 'listSince'>>;

export const listsBooks = (processor: Processor): processor is ListingProcessor => processor.listSince !== undefined;

async function findByKeys({ payments }: BooksDeps, keys: readonly string[], where: 'index' | 'scan') {
  const found: Payment[] = [];
  for (let at = 0; at < keys.length; at += limits.booksKeysAtOnce) {
    found.push(...(await payments.findByTransactions(keys.slice(at, at + limits.booksKeysAtOnce), where)));
  }
  return found;
}

/** Those of the time, and those that the entries are about; most are both. */
async function paymentsOf(deps: BooksDeps, entries: readonly BookEntry[], from: Date, until: Date) {
  const known = new Map<string, Payment>();
  const keys = new Set(
    [...effectsOf(entries).values()].flatMap(({ entry: { key, original } }) => [key, original ?? key]),
  );
  const keep = (found: readonly Payment[]) => {
    for (const payment of found) {
      known.set(payment._id, payment);
      for (const { id } of payment.transactions) keys.delete(id);
    }
  };
  const since = after(from, -limits.booksMadeBeforeMs);
  for (const clientId of await deps.clientIds()) keep(await deps.payments.findMadeWithin(clientId, since, until));
  keep(await findByKeys(deps, [...keys], 'index'));
  keep(await findByKeys(deps, [...keys], 'scan'));
  return [...known.values()];
}

/** A difference may have ended since the list was made, or lie outside of it: the processor has the last word about one key. */
async function stillSo(processor: Processor, payments: readonly Payment[], finding: Finding): Promise<boolean> {
  if (finding.kind !== 'contradicted' && finding.kind !== 'missing') return true;
  const payment = payments.find(({ _id }) => _id === finding.paymentId);
  // One that would be sent again is not asked about here.
  if (!payment || processor.traits.inquiresBySending) return true;
  const answer = await processor.inquire(inquireRequest(payment, finding.key));
  const isThere = answer.kind === 'found' && answer.outcome.kind === 'approved';
  return answer.kind === 'no-answer' || isThere === (finding.kind === 'contradicted');
}

/** What differs in this time. @throws when the processor does not list its books. */
export async function compareWindow(
  deps: BooksDeps,
  processor: ListingProcessor,
  from: Date,
  until: Date,
): Promise<readonly Finding[]> {
  const { booksMarginMs } = limits;
  const entries = await processor.listSince(after(from, -booksMarginMs), after(until, booksMarginMs));
  const payments = await paymentsOf(deps, entries, from, after(until, booksMarginMs));
  const findings = compareBooks({ processor: processor.code, entries, payments, from, until });
  const sure: Finding[] = [];
  for (const finding of findings) if (await stillSo(processor, payments, finding)) sure.push(finding);
  return sure;
}
