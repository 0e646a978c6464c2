/** Payments in memory as `PaymentRepository` and the claims keep them, and a judge who reads every write. */
import { limits } from '../../config/limits.js';
import type { Payment, Transaction } from '../../shared/domain/payment/payment.js';
import { isOpen } from '../../shared/domain/payment/statuses.js';
import { isFinal, movesOf } from '../../shared/domain/payment/transitions.js';
import { stateProblems } from '../domain/payment/a-payment.js';
import type { Process, World } from './world.js';

/** The one way that a settled transaction changes: the bank returns a refund that was approved. */
const isReturned = (before: Transaction, after: Transaction | undefined) =>
  before.kind === 'refund' && before.status === 'approved' && after?.status === 'failed' && after.flagged !== undefined;

/** What a planted bug may change; each is the behaviour of one sentence of docs/reliability.md left out. */
export interface StoreBugs {
  /** Writes without looking at the version. */
  readonly blindSave?: boolean;
  /** A claim forgets that another one may have sent. */
  readonly freshAttempt?: boolean;
  /** Leases are compared with a clock that is this far ahead. */
  readonly leaseClockAheadMs?: number;
  /** Changes what is about to be written. */
  readonly spoil?: (before: Payment, after: Payment) => Payment;
}

interface Held {
  readonly process: Process;
  readonly token: string;
}

const withoutUndefined = (payment: Payment): Payment =>
  Object.fromEntries(Object.entries(payment).filter(([, value]) => value !== undefined)) as unknown as Payment;

/** Has an outcome, and the acquirer may have heard of it: what was not reached saw no cvc. */
const wasHeardOf = ({ routing }: Payment, { status, leftRoute }: Payment['transactions'][number]): boolean =>
  !isOpen(status) &&
  !routing?.candidates.some((one) => one.acquirer === leftRoute?.acquirer && one.reason === 'not-reached');

export class SimulatedStore {
  readonly payments = new Map<string, Payment>();
  readonly #held = new Map<string, Held>();
  #tokens = 0;

  constructor(
    private readonly world: World,
    private readonly bugs: StoreBugs,
  ) {}

  get(id: string): Payment {
    const payment = this.payments.get(id);
    if (!payment) throw new Error(`${id} is not stored`);
    return payment;
  }

  insert(payment: Payment): void {
    this.payments.set(payment._id, payment);
  }

  /** The methods that handlers use, as one process sees them. */
  seenBy(process: Process) {
    const { world } = this;
    const findById = async (id: string) => {
      await world.step(process);
      return this.payments.get(id);
    };
    const save = async (before: Payment, after: Payment): Promise<Payment | 'conflict'> => {
      await world.step(process);
      if (world.chance(0.02)) throw new Error('the write never arrived');
      const won = this.bugs.blindSave || this.get(before._id).version === before.version;
      const saved = { ...withoutUndefined(after), version: before.version + 1 };
      if (won) this.#write(this.bugs.spoil ? this.bugs.spoil(this.get(before._id), saved) : saved, process);
      await world.step(process);
      // An acknowledgement that is lost is found out by reading the token back, unless that fails as well.
      if (world.chance(0.02)) throw new Error('acknowledgement and read-back were lost');
      return won ? saved : 'conflict';
    };
    const update = async (start: Payment, plan: (payment: Payment) => Payment | undefined) => {
      let current: Payment | undefined = start;
      for (let tries = 0; tries < limits.saveTriesMax && current; tries += 1) {
        const next = plan(current);
        if (!next) return undefined;
        const result = await save(current, next);
        if (result !== 'conflict') return result;
        current = await findById(start._id);
      }
      throw new Error('contended');
    };
    return { findById, save, update };
  }

  /** By the first nudge of a payment that was stored as claimed: a read, and no write. */
  async take(process: Process, nudge: { paymentId: string; txId: string }): Promise<Payment | undefined> {
    await this.world.step(process);
    const payment = this.get(nudge.paymentId);
    const { work, version } = payment;
    const leftMs = (work?.leaseUntil.getTime() ?? 0) - this.world.nowMs;
    if (!work?.leaseToken || version !== 1 || !work.attempt?.atInsert || leftMs <= limits.leaseRenewMs)
      return undefined;
    this.#held.set(payment._id, { process, token: work.leaseToken });
    await this.world.step(process);
    return payment;
  }

  async claim(process: Process, nudge: { paymentId: string; txId: string }): Promise<Payment | undefined> {
    await this.world.step(process);
    const payment = this.get(nudge.paymentId);
    const { work } = payment;
    const clockMs = this.world.nowMs + (this.bugs.leaseClockAheadMs ?? 0);
    if (!work || work.txId !== nudge.txId || work.dueAt > this.world.now() || work.leaseUntil.getTime() >= clockMs) {
      return undefined;
    }
    // Who holds it by the one true clock, and lives, must not lose it.
    if (work.leaseToken && work.leaseUntil.getTime() >= this.world.nowMs) {
      this.world.violated(
        'I3',
        `${payment._id} was claimed while ${this.#held.get(payment._id)?.process.name} held it`,
      );
    }
    this.#tokens += 1;
    const token = `token-${this.#tokens}`;
    const own = { token, startedAt: this.world.now() };
    const attempt = this.bugs.freshAttempt ? own : (work.attempt ?? own);
    const leaseUntil = new Date(this.world.nowMs + limits.leaseMs);
    const claimed = {
      ...payment,
      version: payment.version + 1,
      work: { ...work, leaseToken: token, leaseUntil, attempt },
    };
    this.#write(claimed, process);
    this.#held.set(payment._id, { process, token });
    await this.world.step(process);
    return claimed;
  }

  release(id: string, token: string): void {
    if (this.#held.get(id)?.token === token) this.#held.delete(id);
  }

  /** What lease keepers do: living processes that are awake prolong what they hold. */
  renewLeases(): void {
    for (const [id, { process, token }] of this.#held) {
      const payment = this.get(id);
      const { work } = payment;
      const alive = !process.dead && process.frozenUntilMs <= this.world.nowMs;
      if (!alive || work?.leaseToken !== token) continue;
      this.payments.set(id, { ...payment, work: { ...work, leaseUntil: new Date(this.world.nowMs + limits.leaseMs) } });
    }
  }

  #write(after: Payment, process: Process): void {
    const before = this.get(after._id);
    this.payments.set(after._id, after);
    this.world.note(
      `${process.name} writes v${after.version} ${after.status} ${after.work?.kind ?? '-'} ${after.transactions.map((tx) => tx.status)}`,
    );
    this.#judge(before, after);
  }

  #judge(before: Payment, after: Payment): void {
    const { world } = this;
    for (const problem of stateProblems(after)) world.violated('I2/I7/I8', problem);
    if (after.version !== before.version + 1) world.violated('I9', `version ${before.version} became ${after.version}`);
    for (const tx of before.transactions) {
      const now = after.transactions.find(({ id }) => id === tx.id);
      if (!now) world.violated('I6', `transaction ${tx.kind} is gone`);
      else if (!isOpen(tx.status) && now.status !== tx.status && tx.kind !== 'reversal' && !isReturned(tx, now)) {
        world.violated('I6', `${tx.kind} was ${tx.status} and became ${now.status}`);
      }
    }
    const returned = before.transactions.some((tx, at) => isReturned(tx, after.transactions[at]));
    if (before.status !== after.status && isFinal(before.status) && !returned)
      world.violated('I9', `${before.status} moved to ${after.status}`);
    this.#judgeEvents(before, after);
    if (after.cvc && after.transactions.some((tx) => wasHeardOf(after, tx)))
      world.violated('I10', 'the cvc outlived the outcome');
  }

  #judgeEvents(before: Payment, after: Payment): void {
    const { world } = this;
    let { status } = before;
    for (const event of after.events.filter(({ seq }) => seq > before.eventSeq)) {
      const moves: readonly string[] = Object.values(movesOf(status));
      if (event.status !== status && !moves.includes(event.status))
        world.violated('I8', `${status} to ${event.status}`);
      status = event.status;
    }
    if (status !== after.status) world.violated('I8', `${after.status} without an event`);
    if (before.status !== after.status && after.eventSeq === before.eventSeq)
      world.violated('I8', 'a number was used twice');
  }
}
