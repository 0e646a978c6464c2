/**
 * One seed, one story of a bank transfer: a payer who pays around the end of the code, twice, late or never, a merchant who
 * may cancel, workers that crash, sleep and overtake one another at every await, and a bank that does not always answer.
 */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planOperation } from '../../shared/domain/payment/plan-operation.js';
import { newWork } from '../../shared/domain/payment/work.js';
import { makeSchedule } from '../../shared/domain/schedule.js';
import type { Log } from '../../shared/log.js';
import type { Claimed } from '../../workers/payment-work.js';
import { noCardTesting } from '../../workers/processor/card-testing.js';
import { handleInquiry } from '../../workers/processor/inquire-payment.handler.js';
import { handleSend } from '../../workers/processor/send-operation.handler.js';
import { handleTransfer } from '../../workers/qr/await-transfer.handler.js';
import { checkTransfers } from '../../workers/qr/check-transfers.js';
import { handleIssue } from '../../workers/qr/issue-code.handler.js';
import { createdPayment } from '../domain/payment/a-payment.js';
import { auditTransfer } from './audit-transfer.js';
import type { Told } from './simulate.js';
import { SimulatedBank } from './simulated-bank.js';
import { SimulatedStore, type StoreBugs } from './simulated-store.js';
import { EPOCH_MS, type Process, World } from './world.js';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => silent };
const TURNS_MAX = 12_000;
/** A sweep that is slow is not overtaken by the next one. */
const SWEEP_MS = 45_000;
const TOTAL_MINOR = 1_000;
const schedule = makeSchedule(limits, { timeScale: 1, processorTimeoutMs: 30_000 });

const newTransfer = (): Payment => {
  const { card: _card, cvc: _cvc, cvcDestroyAt: _at, ...payment } = createdPayment({ createdAt: new Date(EPOCH_MS) });
  const [tx] = payment.transactions;
  return {
    ...payment,
    flow: 'pos',
    amount: { totalMinor: TOTAL_MINOR, currency: 'USD' },
    paymentMethod: { id: 'instant-transfer', name: 'Transfer', type: 'bank-transfer', source: 'bank-transfer' },
    transactions: tx ? [{ ...tx, amountMinor: TOTAL_MINOR }] : [],
    work: newWork('issue-code', tx?.id ?? '', new Date(EPOCH_MS)),
  };
};

class TransferSimulation {
  readonly world: World;
  readonly store: SimulatedStore;
  readonly bank: SimulatedBank;
  #names = 0;
  #checkAgainMs = 0;

  constructor(seed: number, bugs: StoreBugs) {
    this.world = new World(seed);
    this.store = new SimulatedStore(this.world, bugs);
    this.bank = new SimulatedBank(this.world, TOTAL_MINOR);
  }

  async run(): Promise<Told> {
    const { world } = this;
    const payment = newTransfer();
    this.store.insert(payment);
    this.#plan(payment._id);
    this.#nudge(payment._id, payment.transactions[0]?.id ?? '', 0);
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      // Whatever was resumed runs on until it waits for the world again.
      await new Promise((resolve) => setImmediate(resolve));
      if (world.violations.length > 0) break;
      this.store.renewLeases();
      if (world.turn()) continue;
      if (!this.#passTime(payment._id)) break;
      if (turns === TURNS_MAX - 1) world.violated('end', 'the payment never came to rest');
    }
    if (world.violations.length === 0) auditTransfer(world, this.store.get(payment._id), this.bank);
    return { violations: world.violations, trace: world.trace };
  }

  /** What payer and merchant are going to do, and when. */
  #plan(id: string): void {
    const { world, bank } = this;
    const moment = () =>
      world.pick([
        world.random() * schedule.codeExpiryMs,
        schedule.codeExpiryMs + (world.random() - 0.5) * 100,
        schedule.codeExpiryMs + world.random() * 30 * 60_000,
      ]);
    // Nobody can pay a code that was never shown.
    const pay = () => this.store.get(id).code && bank.pay();
    for (let times = world.pick([0, 1, 1, 1, 2]); times > 0; times -= 1) world.after(moment(), pay);
    if (world.chance(0.15)) world.after(world.random() * schedule.codeExpiryMs, () => bank.reject());
    if (world.chance(0.5)) world.after(moment(), () => this.#spawnCancellation(id));
  }

  #passTime(id: string): boolean {
    const { world } = this;
    const { work, transferCheckAt } = this.store.get(id);
    const workMs = work ? Math.max(work.dueAt.getTime(), work.leaseUntil.getTime() + 1) : Infinity;
    const checkMs = Math.max(transferCheckAt?.getTime() ?? Infinity, this.#checkAgainMs);
    const nextMs = Math.min(world.nextAtMs(), workMs, checkMs);
    if (nextMs === Infinity) return false;
    world.advanceTo(Math.min(nextMs, world.nowMs + (world.processes.size > 0 ? limits.leaseRenewMs : Infinity)));
    this.store.renewLeases();
    if (work && workMs <= world.nowMs) this.#spawnWorker(id, work.txId);
    if (checkMs <= world.nowMs) this.#spawnCheck(id);
    return true;
  }

  #name(kind: string): string {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  }

  /** A nudge may be lost, late or doubled. */
  #nudge(id: string, txId: string, delayMs: number): void {
    const { world } = this;
    for (let times = world.pick([0, 1, 1, 2]); times > 0; times -= 1) {
      world.after(delayMs + (world.chance(0.2) ? world.random() * 20_000 : 0), () => this.#spawnWorker(id, txId));
    }
  }

  #spawnCancellation(id: string): void {
    const { world } = this;
    world.spawn(this.#name('api'), async (process) => {
      const store = this.store.seenBy(process);
      for (let tries = 0; tries < 20; tries += 1) {
        const found = (await store.findById(id)) as Payment;
        const context = { now: world.now(), txId: `txn_cancel_${tries}`, awaitedUntil: world.now(), bounds: limits };
        const plan = planOperation(found, 'cancellation', { referenceId: 'c', requestDigest: 'd' }, context);
        if (plan.kind !== 'planned') return;
        if ((await store.save(found, plan.payment)) !== 'conflict') return this.#nudge(id, plan.txId, 0);
      }
    });
  }

  #spawnCheck(id: string): void {
    this.#checkAgainMs = this.world.nowMs + SWEEP_MS;
    this.world.spawn(this.#name('check'), (process) => checkTransfers(this.#deps(process, id)));
  }

  #spawnWorker(id: string, txId: string): void {
    const { world } = this;
    world.spawn(this.#name('worker'), async (process) => {
      const claimedMs = world.nowMs;
      const payment = await this.store.claim(process, { paymentId: id, txId });
      const { work } = payment ?? {};
      if (!payment || !work?.leaseToken) return;
      const mayStillSend = () => world.nowMs - claimedMs < limits.sendByMs;
      const claimed: Claimed = { payment, work, replyTo: undefined, log: silent, mayStillSend };
      const deps = this.#deps(process, id);
      try {
        if (work.kind === 'issue-code') await handleIssue(deps, claimed);
        else if (work.kind === 'await-transfer') await handleTransfer(deps, claimed);
        else if (work.kind === 'inquire') await handleInquiry(deps, claimed);
        else await handleSend(deps, claimed);
      } finally {
        this.store.release(id, work.leaseToken);
      }
    });
  }

  /** What both pools are given; none of it is more than the port, the store and the clock. */
  #deps(process: Process, id: string) {
    const { world, store } = this;
    const payments = { ...store.seenBy(process), findTransferChecks: async () => [store.get(id)] };
    return {
      payments,
      processors: { get: () => this.bank.seenBy(process) },
      merchants: { findMerchant: async () => undefined },
      methods: { findPaymentMethod: async () => undefined },
      cardTesting: noCardTesting,
      routes: { isOpen: () => false, begin: () => () => undefined },
      nudges: {
        ready: () => true,
        add: async (job: { queue: string }, payload: { paymentId: string; txId: string }, delayMs = 0) => {
          if (job.queue !== 'callback') this.#nudge(payload.paymentId, payload.txId, delayMs);
          return true;
        },
        close: async () => undefined,
      },
      publish: () => undefined,
      renderCallback: () => '',
      schedule,
      clock: { now: () => world.now() },
      log: silent,
      metrics: { outcome: () => undefined, event: () => undefined },
      concurrency: 1,
      batchWrites: true,
      // The handlers' own types name whole repositories; these are the parts of them that transfers use.
    } as never;
  }
}

export const simulateTransfer = (seed: number, bugs: StoreBugs = {}): Promise<Told> =>
  new TransferSimulation(seed, bugs).run();
