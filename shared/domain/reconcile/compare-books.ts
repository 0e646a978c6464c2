/**
 * What a processor lists against what the payments hold (docs/operations.md, "Reconciliation"). Pure. What is still in progress
 * differs for a while and is no finding: the caller compares what is older than that.
 */
import { routeOf } from '../payment/attempts.js';
import type { Payment, Transaction } from '../payment/payment.js';
import { reversalId } from '../payment/plan-reversal.js';
import { isOpen } from '../payment/statuses.js';

/** A line of a processor's own books, as its adapter lists it. A later line under the same key says what became of an earlier one. */
export interface BookEntry {
  /** ISO 8601. */
  readonly at: string;
  readonly kind: string;
  /** The key that it was sent under. */
  readonly key: string;
  /** Of a capture, cancellation, refund or reversal: the key of what it acts on. */
  readonly original: string | null;
  readonly amountMinor: number;
  readonly currency: string;
  readonly result: string;
  /** The merchant's own reference of the payment or operation, where the processor keeps it. */
  readonly referenceId?: string;
  /** Our number of the merchant, where the processor keeps it. */
  readonly merchantId?: number;
}

export const findingKinds = [
  /** The processor has a payment that the gateway does not know. */
  'unknown-payment',
  /** The processor has a capture, cancellation or refund that the gateway does not know. */
  'unknown-operation',
  /** The gateway waits for the outcome of what the processor approved. */
  'not-settled',
  /** The gateway calls it failed or declined, and the processor approved it. */
  'contradicted',
  /** The gateway calls it approved, and the processor does not list it. */
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
  /** What the processor lists; absent: nothing. */
  readonly entry?: BookEntry;
  readonly amountMinor: number;
  readonly currency: string;
  /** What the gateway holds, where it differs. */
  readonly heldMinor?: number;
}

export interface Books {
  readonly processor: string;
  /** Oldest first. */
  readonly entries: readonly BookEntry[];
  /** The time that is judged: `from` is part of it, `until` is not. The entries reach further on both sides. */
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

/** What of a payment is compared. */
export type ComparedPayment = Pick<Payment, '_id' | (typeof comparedFields)[number]>;

/** Codes and transfers of bank transfers are asked about one by one, and have numbers of the bank's own. */
const compared: ReadonlySet<string> = new Set([
  'purchase',
  'authorization',
  'verification',
  'capture',
  'cancellation',
  'refund',
]);

/** Others may use the same account at the processor: what is not one of our ids is theirs. */
const isOurs = ({ key }: BookEntry) => key.startsWith('txn_');

interface Effect {
  /** The line by which it came into effect. */
  readonly entry: BookEntry;
  readonly count: number;
}

/** What is in effect, by key: approved, and neither failed later nor taken back. */
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
      // Not ours to judge.
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

/** It is being reversed, or was. */
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
  const heldMinor = sentMinor(tx);
  const same = heldMinor === amountMinor && payment.amount.currency === currency;
  return same ? undefined : { kind: 'amount-differs', ...found, heldMinor };
}

/** What no payment has: one that is lost, or an operation of one. */
function judgeUnknown({ entry }: Effect, paymentId: string | undefined): Omit<Finding, 'key'> {
  const { amountMinor, currency, original } = entry;
  if (original === null) return { kind: 'unknown-payment', entry, amountMinor, currency };
  return { kind: 'unknown-operation', entry, amountMinor, currency, ...(paymentId !== undefined && { paymentId }) };
}

const hasEffect = ({ kind, status }: Transaction) => status === 'approved' && kind !== 'reversal';

/**
 * Approved here, and not listed there. A bank transfer is not compared. The processor did it before it was settled here, maybe before
 * the time that was listed: the caller asks about it by its key.
 */
function missing(books: Books, { payment, tx }: Known, listed: ReadonlyMap<string, Effect>): Finding | undefined {
  const { processedAt = tx.createdAt } = tx;
  if (!hasEffect(tx) || payment.paymentMethod.type !== 'card' || listed.has(tx.id)) return undefined;
  if (!isWithin(processedAt, books)) return undefined;
  const { currency } = payment.amount;
  return { kind: 'missing', key: tx.id, paymentId: payment._id, amountMinor: sentMinor(tx), currency };
}

export interface Comparison {
  /** Compares these too: a part at a time, so that no more than a part is held. A payment may be given again. */
  add(payments: readonly ComparedPayment[]): void;
  /** Keys in effect, and of what they act on, that no payment so far has: those payments are to be given too. */
  unknown(): readonly string[];
  /** Every difference, in the order of the books; then what the books lack. */
  findings(): readonly Finding[];
}

/** All payments that were made in the time have to be given, and all that have a transaction under a key of the entries. */
export function beginComparison(books: Books): Comparison {
  const effects = effectsOf(books.entries);
  const isJudged = ({ entry }: Effect) => isWithin(new Date(entry.at), books);
  const unknown = new Set([...effects.values()].flatMap(({ entry: { key, original } }) => [key, original ?? key]));
  /** Payments of what operations act on. */
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
