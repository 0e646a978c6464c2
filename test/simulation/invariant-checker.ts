/** Checks each write, each nudge and each call to the acquirer against the invariants I1 to I10 of docs/reliability.md. */
import { limits } from '../../config/limits.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { isFinal, movesOf } from '../../shared/domain/payment/transitions.js';
import { moneyProblems } from '../domain/payment/a-payment.js';
import type { Process } from './process.js';
import type { SimulatedStore, StoreHooks } from './simulated-database.js';
import type { SimulatedAcquirer } from './simulated-processor.js';
import type { Doc } from './stored-values.js';
import type { World } from './world.js';

/** The product's own value, which a planted bug may change. */
const SEND_BY_MS = limits.sendByMs;

/** Whether a settled transaction changed in the only allowed way: the bank returns an approved refund. */
const isReturned = (before: Transaction, after: Transaction | undefined) =>
  before.kind === 'refund' && before.status === 'approved' && after?.status === 'failed' && after.flagged !== undefined;

/** Whether a refused capture was given up after a person was alerted. */
const isGivenUp = (before: Transaction, after: Transaction | undefined) =>
  before.status === 'denied' && after?.status === 'failed' && after.flagged !== undefined;

/** Whether the transaction has an outcome and the acquirer may have seen it: a route that was not reached saw no cvc. */
const mayHaveReachedAcquirer = ({ routing }: Payment, { status, leftRoute }: Transaction): boolean =>
  !isOpen(status) &&
  !routing?.candidates.some((one) => one.acquirer === leftRoute?.acquirer && one.reason === 'not-reached');

/** Returns how a document violates I2 and I8. Empty when it does not. */
export function stateProblems(payment: Payment): string[] {
  const { status, activeOp, work, deadline, events, eventSeq, transactions } = payment;
  const waitsForPayer = deadline?.kind === 'challenge';
  const unsettled = status === 'created' || status === 'pending' || activeOp !== undefined;
  const open = transactions.some((tx) => isOpen(tx.status));
  const problems = moneyProblems(payment);
  if (unsettled && !work && !waitsForPayer) problems.push(`${status} without work`);
  if (!unsettled && work && work.kind !== 'reverse') problems.push(`${status} with ${work.kind}`);
  if (status === 'authorized' && !deadline) problems.push('authorized without a deadline');
  if (open && !work && !waitsForPayer) problems.push('an open transaction without work');
  const first = eventSeq - events.length + 1;
  if (events.some(({ seq }, index) => seq !== first + index)) problems.push(`events out of order: ${eventSeq}`);
  if (events.length > 0 && events.at(-1)?.status !== status) problems.push('the newest event is not the status');
  return problems;
}

/** The holder of a claim. */
interface Claim {
  readonly process: Process;
}

export class InvariantChecker {
  readonly #transitions = new Set<string>();
  readonly #workKinds = new Set<string>();
  /** Holders of claims, by token. */
  readonly #claims = new Map<string, Claim>();
  /** When a process last read the work of a payment from the store, by process and transaction. */
  readonly #workReadAtMs = new Map<string, number>();

  constructor(
    private readonly world: World,
    private readonly acquirer: () => SimulatedAcquirer,
  ) {}

  get exercised() {
    return { transitions: this.#transitions, workKinds: this.#workKinds };
  }

  /** Events that have to reach a receiver, or a caller as an answer, in their order. */
  readonly expectedEvents: { readonly id: string; readonly seq: number }[] = [];

  readonly hooks: StoreHooks = {
    onWrite: (collection, before, after, by) => {
      if (after?.['events']) this.#expectEvents(before, after);
      // A reservation of a session is not a payment.
      if (collection !== 'payments' || (after ?? before)?.['merchantId'] === undefined) return;
      this.#checkWrite(before as unknown as Payment | undefined, after as unknown as Payment | undefined, by);
    },
    onRead: (collection, found, by) => {
      if (collection === 'payments') for (const document of found) this.#noteRead(document, by);
    },
  };

  /** Checks I1: a nudge is about a stored payment. */
  checkNudge(store: SimulatedStore, data: object): void {
    const { paymentId } = data as { paymentId?: string };
    if (paymentId === undefined || store.collection('payments').documents.has(paymentId)) return;
    this.world.violated('I1', `a nudge about ${paymentId}, which is not stored`);
  }

  /**
   * Checks I1 and I4: what is sent is stored before, as work of this transaction, with its attempt, and is sent soon after its claim. When
   * the processor dedupes, a worker that repeats a call may be late: the outcome came in between, and the call has no effect.
   */
  checkSend(store: SimulatedStore, by: Process, key: string): void {
    const { world } = this;
    const payment = store
      .all<Payment>('payments')
      .find(({ transactions }) => transactions?.some(({ id }) => id === key));
    const tx = payment?.transactions.find(({ id }) => id === key);
    const readAtMs = this.#workReadAtMs.get(`${by.name} ${key}`) ?? Number.NEGATIVE_INFINITY;
    if (world.nowMs - readAtMs > SEND_BY_MS) world.violated('I4', `${key} left too long after its claim`);
    if (this.acquirer().traits.dedupes && tx && !isOpen(tx.status)) return;
    if (payment?.work?.txId !== key || !payment.work.attempt) world.violated('I4', `${key} left without its attempt`);
  }

  #expectEvents(before: Doc | undefined, after: Doc): void {
    const { eventSeq: lastSeq = 0 } = (before ?? {}) as { eventSeq?: number };
    const events = after['events'] as readonly { seq: number; body?: string; passed?: boolean }[];
    for (const { seq, body, passed } of events) {
      if (seq > lastSeq && body !== undefined && !passed) this.expectedEvents.push({ id: after._id, seq });
    }
  }

  #noteRead(document: Doc, by: Process): void {
    const { work } = document as unknown as Payment;
    if (!work) return;
    this.#workReadAtMs.set(`${by.name} ${work.txId}`, this.world.nowMs);
    // A stored claim belongs to the worker that gets the first nudge.
    const { leaseToken = '' } = work;
    if (this.#claims.get(leaseToken)?.process.name.startsWith('web')) this.#claims.set(leaseToken, { process: by });
  }

  #checkWrite(before: Payment | undefined, after: Payment | undefined, by: Process | undefined): void {
    const { world } = this;
    if (!after) {
      world.violated('I1', `${before?._id} is gone`);
      return;
    }
    world.note(`${by?.name} writes v${after.version} ${after.status} ${after.work?.kind ?? '-'}`);
    if (after.work) this.#workKinds.add(after.work.kind);
    for (const problem of stateProblems(after)) world.violated('I2/I7/I8', problem);
    if (after.cvc && after.transactions.some((tx) => mayHaveReachedAcquirer(after, tx)))
      world.violated('I10', 'the cvc outlived the outcome');
    if (by) this.#checkClaim(before, after, by);
    if (!before) return;
    this.#checkVersion(before, after);
    this.#checkTransactions(before, after);
    this.#checkEvents(before, after);
  }

  /** Checks I9: each write adds one to `version`, except renewals of leases and notes of answers. */
  #checkVersion(before: Payment, after: Payment): void {
    const same = after.version === before.version;
    const isSideWrite = same && after.status === before.status && after.eventSeq === before.eventSeq;
    if (!isSideWrite && after.version !== before.version + 1)
      this.world.violated('I9', `version ${before.version} became ${after.version}`);
  }

  /** Checks I3: no process claims what another living process has claimed and works on. */
  #checkClaim(before: Payment | undefined, after: Payment, by: Process): void {
    const { world } = this;
    const token = after.work?.leaseToken;
    this.#noteRead(after as unknown as Doc, by);
    if (token === undefined || token === before?.work?.leaseToken) return;
    this.#claims.set(token, { process: by });
    const held = before?.work?.leaseToken;
    if (before?.work?.txId !== after.work?.txId || held === undefined) return;
    // A stored claim belongs to the worker with the first nudge. A nudge that is handed out twice has two workers, which send the same key.
    if (before?.version === 1 && before.work?.attempt?.atInsert) return;
    if ((before?.work?.leaseUntil.getTime() ?? 0) >= world.nowMs)
      world.violated('I3', `${after._id} was claimed under a lease`);
    const holder = this.#claims.get(held)?.process;
    const isAtWork =
      holder &&
      !holder.dead &&
      this.acquirer()
        .inFlight.get(holder)
        ?.has(after.work?.txId ?? '');
    // A process that slept, or that the store did not answer, could not renew its claim.
    if (
      isAtWork &&
      holder !== by &&
      world.nowMs - Math.max(holder.storeFailedAtMs, holder.asleepUntilMs) > limits.leaseMs + 3_000
    )
      world.violated('I3', `${after._id} was claimed while ${holder.name} worked on it`);
  }

  #checkTransactions(before: Payment, after: Payment): void {
    const { world } = this;
    for (const tx of before.transactions) {
      const now = after.transactions.find(({ id }) => id === tx.id);
      // A purchase that was not authenticated loses its transaction: nothing was sent of it.
      if (!now && after.threeDs?.error === undefined) world.violated('I6', `transaction ${tx.kind} is gone`);
      if (!now || isOpen(tx.status) || now.status === tx.status || tx.kind === 'reversal') continue;
      if (!isReturned(tx, now) && !isGivenUp(tx, now))
        world.violated('I6', `${tx.kind} was ${tx.status} and became ${now.status}`);
    }
    const returned = before.transactions.some((tx, at) => isReturned(tx, after.transactions[at]));
    if (before.status !== after.status && isFinal(before.status) && !returned)
      world.violated('I9', `${before.status} moved to ${after.status}`);
  }

  #checkEvents(before: Payment, after: Payment): void {
    const { world } = this;
    let { status } = before;
    for (const event of after.events.filter(({ seq }) => seq > before.eventSeq)) {
      const moves = Object.entries(movesOf(status)).filter(([, to]) => to === event.status);
      const isLess = after.refundedMinor < before.refundedMinor;
      const [name] = moves.find(([move]) => move.includes('returned') === isLess) ?? moves[0] ?? [];
      if (event.status !== status && name === undefined) world.violated('I8', `${status} to ${event.status}`);
      if (name && (event.status !== status || after.refundedMinor !== before.refundedMinor))
        this.#transitions.add(`${status} ${name}`);
      status = event.status;
    }
    if (status !== after.status) world.violated('I8', `${after.status} without an event`);
    if (before.status !== after.status && after.eventSeq === before.eventSeq)
      world.violated('I8', 'a number was used twice');
  }
}
