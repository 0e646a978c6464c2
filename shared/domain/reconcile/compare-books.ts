/**
 * Compares what a processor lists with the stored payments (docs/operations.md, "Reconciliation"). Pure. Operations in progress
 * differ for a while, which is no finding: the caller compares only a time in which everything has ended.
 */
import { routeOf } from '../payment/attempts.js';
import type { Payment, Transaction } from '../payment/payment.js';
import { reversalId } from '../payment/plan-reversal.js';
import { isOpen } from '../payment/statuses.js';

/** A line of a processor's own books, as its adapter lists it. A later line under the same key updates an earlier one. */
export interface BookEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly kind: string;
  /** The key under which the gateway sent the operation. */
  readonly key: string;
  /** For a capture, cancellation, refund or reversal: the key of the transaction that it acts on. */
  readonly original: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly result: string;
  /** The merchant's own reference of the payment or operation, if the processor keeps it. */
  readonly referenceId?: string;
  /** Our number of the merchant, if the processor keeps it. */
  readonly merchantId?: number;
}

export const findingKinds = [
  /** The processor has a payment that the gateway does not know. */
  'unknown-payment',
  /** The processor has a capture, cancellation or refund that the gateway does not know. */
  'unknown-operation',
  /** The gateway waits for an outcome, and the processor has approved. */
  'not-settled',
  /** The transaction failed or was declined at the gateway, and the processor approved it. */
  'contradicted',
  /** The transaction is approved at the gateway, and the processor does not list it. */
  'missing',
  'amount-differs',
  /** One key has two effects. */
  'doubled',
] as const;
export type FindingKind = (typeof findingKinds)[number];

export interface Finding {
  readonly kind: FindingKind;
  /** The key at the processor: our transaction id. */
  readonly key: string;
  readonly paymentId?: string;
  /** What the processor lists; absent when it lists nothing. */
  readonly entry?: BookEntry;
  readonly amountMinor: number;
  readonly currency: string;
  /** The gateway's amount (minor units) and its currency, when one of them differs. */
  readonly heldMinor?: number;
  readonly heldCurrency?: string;
}

export interface Books {
  readonly processor: string;
  /** Oldest first. */
  readonly entries: readonly BookEntry[];
  /** The period that is judged: `from` is inclusive, `until` exclusive. The entries go beyond it on both sides. */
  readonly from: Date;
  readonly until: Date;
}

export const comparedFields = [
  'processor',
  'acquirer',
  'paymentMethod',
  'amount',
  'transactions',
] as const satisfies readonly (keyof Payment)[];

/** The fields of a payment that are compared. */
export type ComparedPayment = Pick<Payment, '_id' | (typeof comparedFields)[number]>;

/** Kinds that are compared. Codes and transfers of bank transfers are not: they have the bank's own numbers, and each is inquired alone. */
const compared: ReadonlySet<string> = new Set([
  'purchase',
  'authorization',
  'verification',
  'capture',
  'cancellation',
  'refund',
]);

/** Whether the key is one of our ids. Other systems may use the same account at the processor. */
const isOurs = ({ key }: BookEntry) => key.startsWith('txn_');

interface Effect {
  /** The line that made the effect. */
  readonly entry: BookEntry;
  readonly count: number;
}

/** Returns what is in effect, by key: approved, and neither failed later nor reversed. */
export function effectsOf(entries: readonly BookEntry[]): ReadonlyMap<string, Effect> {
  const effects = new Map<string, Effect>();
  const ends = (key: string) => {
    const effect = effects.get(key);
    if (effect && effect.count > 1) effects.set(key, { ...effect, count: effect.count - 1 });
    else effects.delete(key);
  };
  for (const entry of entries) {
    if (entry.kind === 'reversal') {
      if (entry.result === 'reversed' && entry.original !== null) ends(entry.original);
    } else if (!compared.has(entry.kind) || !isOurs(entry)) {
      // Not compared.
    } else if (entry.result === 'approved') {
      effects.set(entry.key, { entry, count: (effects.get(entry.key)?.count ?? 0) + 1 });
    } else if (entry.result === 'failed') {
      ends(entry.key);
    }
  }
  return effects;
}

interface Known {
  readonly payment: ComparedPayment;
  readonly tx: Transaction;
}

const isWithin = (at: Date, { from, until }: Books) => at >= from && at < until;

/** Whether the transaction was reversed or is being reversed. */
const hasReversal = ({ transactions }: ComparedPayment, txId: string) =>
  transactions.some(({ id }) => id === reversalId(txId));

const sentMinor = (tx: Transaction) => tx.approvedMinor ?? tx.amountMinor;

function judgeKnown({ payment, tx }: Known, { entry, count }: Effect): Omit<Finding, 'key'> | undefined {
  const { amountMinor, currency } = entry;
  const found = { paymentId: payment._id, entry, amountMinor, currency };
  if (count > 1) return { kind: 'doubled', ...found };
  if (hasReversal(payment, tx.id)) return undefined;
  if (isOpen(tx.status)) return { kind: 'not-settled', ...found };
  if (tx.status !== 'approved') return { kind: 'contradicted', ...found };
  const [heldMinor, heldCurrency] = [sentMinor(tx), payment.amount.currency];
  const same = heldMinor === amountMinor && heldCurrency === currency;
  return same ? undefined : { kind: 'amount-differs', ...found, heldMinor, heldCurrency };
}

/** Judges an effect that no payment has: a lost payment, or a lost operation of a payment. */
function judgeUnknown({ entry }: Effect, paymentId: string | undefined): Omit<Finding, 'key'> {
  const { amountMinor, currency, original } = entry;
  if (original === null) return { kind: 'unknown-payment', entry, amountMinor, currency };
  return { kind: 'unknown-operation', entry, amountMinor, currency, ...(paymentId !== undefined && { paymentId }) };
}

const hasEffect = ({ kind, status }: Transaction) => status === 'approved' && kind !== 'reversal';

/**
 * Finds a transaction that is approved at the gateway and not listed by the processor. Bank transfers are not compared. The processor
 * acted before the gateway settled, maybe before the listed time: the caller inquires by key.
 */
function missing(books: Books, { payment, tx }: Known, listed: ReadonlyMap<string, Effect>): Finding | undefined {
  const { processedAt = tx.createdAt } = tx;
  if (!hasEffect(tx) || payment.paymentMethod.type !== 'card' || listed.has(tx.id)) return undefined;
  if (!isWithin(processedAt, books)) return undefined;
  const { currency } = payment.amount;
  return { kind: 'missing', key: tx.id, paymentId: payment._id, amountMinor: sentMinor(tx), currency };
}

export interface Comparison {
  /** Adds payments to the comparison, a batch at a time, so that memory holds only one batch. A payment may be added twice. */
  add(payments: readonly ComparedPayment[]): void;
  /** Keys in effect, and keys that they act on, that no payment so far has. The caller has to add the payments with these keys too. */
  unknown(): readonly string[];
  /** All differences in the order of the books, then transactions that the books lack. */
  findings(): readonly Finding[];
}

/** Begins a comparison. The caller adds all payments of the judged period, and all with a transaction under a key of the entries. */
export function beginComparison(books: Books): Comparison {
  const effects = effectsOf(books.entries);
  const isJudged = ({ entry }: Effect) => isWithin(new Date(entry.at), books);
  const unknown = new Set([...effects.values()].flatMap(({ entry: { key, original } }) => [key, original ?? key]));
  /** Id of the payment, by the key of its transaction. */
  const originals = new Map<string, string>();
  const judged = new Map<string, Omit<Finding, 'key'> | undefined>();
  const lacking = new Map<string, Finding>();

  const addOne = (payment: ComparedPayment, tx: Transaction) => {
    const wasWanted = unknown.delete(tx.id);
    if (routeOf(payment, tx.id).processor !== books.processor) return;
    const effect = effects.get(tx.id);
    if (wasWanted) originals.set(tx.id, payment._id);
    if (effect && isJudged(effect)) judged.set(tx.id, judgeKnown({ payment, tx }, effect));
    const lack = missing(books, { payment, tx }, effects);
    if (lack) lacking.set(tx.id, lack);
  };

  return {
    add(payments) {
      for (const payment of payments) for (const tx of payment.transactions) addOne(payment, tx);
    },
    unknown: () => [...unknown],
    findings() {
      const listed = [...effects].flatMap(([key, effect]): Finding[] => {
        if (!isJudged(effect)) return [];
        const { original } = effect.entry;
        const finding = judged.has(key)
          ? judged.get(key)
          : judgeUnknown(effect, original === null ? undefined : originals.get(original));
        return finding ? [{ ...finding, key }] : [];
      });
      return [...listed, ...lacking.values()];
    },
  };
}
