/**
 * One seed, one story: callers ask, workers run the real handlers over a simulated store and acquirer, processes crash, sleep
 * and are overtaken at every await, nudges are lost and doubled. At the end the acquirer's books are held against the payments.
 */

import { limits } from '../../config/limits.js';
import { applyMoves } from '../../shared/domain/payment/apply-moves.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { planDeadline } from '../../shared/domain/payment/plan-deadline.js';
import { type CallerOperation, planOperation } from '../../shared/domain/payment/plan-operation.js';
import { newClaimedWork } from '../../shared/domain/payment/work.js';
import type { Schedule } from '../../shared/domain/schedule.js';
import type { Log } from '../../shared/log.js';
import type { Processor } from '../../shared/processors/processor.js';
import type { Claimed } from '../../workers/payment-work.js';
import { noCardTesting } from '../../workers/processor/card-testing.js';
import { handleInquiry } from '../../workers/processor/inquire-payment.handler.js';
import type { ProcessorPoolDeps } from '../../workers/processor/processor-pool.js';
import { handleReversal } from '../../workers/processor/reverse-payment.handler.js';
import { handleSend } from '../../workers/processor/send-operation.handler.js';
import { createdPayment, schedule } from '../domain/payment/a-payment.js';
import { audit } from './audit.js';
import { SimulatedAcquirer } from './simulated-processor.js';
import { SimulatedStore, type StoreBugs } from './simulated-store.js';
import { EPOCH_MS, type Process, World } from './world.js';

/** Planted bugs; without any, nothing may be found. */
export interface Bugs extends StoreBugs {
  /** A caller's operation does not look whether another one is in flight. */
  readonly ignoreBusy?: boolean;
  readonly schedule?: Partial<Schedule>;
  readonly processor?: (processor: Processor) => Processor;
  /** Sends however long ago the claim was. */
  readonly sendAnyTime?: boolean;
}

interface Asked {
  readonly kind: CallerOperation;
  readonly amountMinor?: number;
}

interface Scenario {
  readonly payment: () => Payment;
  /** Asked for at once and in parallel when the first outcome is there. */
  readonly operations: readonly Asked[];
}

const now = new Date(EPOCH_MS);
const purchase = () => createdPayment({ createdAt: now });
const hold = (more: Partial<Payment> = {}) => createdPayment({ createdAt: now, ...more }, 'authorization');

const claimed = (payment: Payment): Payment => ({
  ...payment,
  work: newClaimedWork(payment.transactions[0]?.id ?? '', now, 'token-of-the-insert', limits.firstLeaseMs),
});

const candidate = (acquirer: string, reason: 'chosen' | 'next') => ({ processor: 'simulated', acquirer, reason });
/** Three acquirers, and the merchant wants the next one after a decline that advises it. */
const routed = (payment: Payment): Payment => ({
  ...payment,
  acquirer: 'acquirer-a',
  routing: {
    candidates: [candidate('acquirer-a', 'chosen'), candidate('acquirer-b', 'next'), candidate('acquirer-c', 'next')],
    retrySoftDeclines: true,
  },
});

export const scenarios = {
  purchase: { payment: purchase, operations: [] },
  'capture by hand': { payment: hold, operations: [{ kind: 'capture', amountMinor: 700 }] },
  'two refunds at once': {
    payment: purchase,
    operations: [
      { kind: 'refund', amountMinor: 600 },
      { kind: 'refund', amountMinor: 600 },
    ],
  },
  'two refunds that fit': {
    payment: purchase,
    operations: [
      { kind: 'refund', amountMinor: 500 },
      { kind: 'refund', amountMinor: 550 },
    ],
  },
  'capture against cancellation': { payment: hold, operations: [{ kind: 'capture' }, { kind: 'cancellation' }] },
  verification: { payment: () => hold({ purpose: 'verification' }), operations: [] },
  'delayed capture against cancellation': {
    payment: () => hold({ captureMethod: 'automatic', captureDelaySeconds: 1 }),
    operations: [{ kind: 'cancellation' }],
  },
  'delayed capture': { payment: () => hold({ captureMethod: 'automatic', captureDelaySeconds: 60 }), operations: [] },
  'hold that runs out': { payment: hold, operations: [] },
  'purchase stored with its claim': { payment: () => claimed(purchase()), operations: [{ kind: 'refund' }] },
  'hold stored with its claim': { payment: () => claimed(hold()), operations: [{ kind: 'capture' }] },
  'purchase over routes': { payment: () => routed(purchase()), operations: [{ kind: 'refund', amountMinor: 600 }] },
  'hold over routes': { payment: () => routed(hold()), operations: [{ kind: 'capture' }] },
  'purchase over routes, stored with its claim': { payment: () => claimed(routed(purchase())), operations: [] },
} as const satisfies Record<string, Scenario>;
export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as ScenarioName[];

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => silent };
const TURNS_MAX = 6_000;
/** What is still unresolved and shown to a person after this is left to that person. */
const DAYS_30_MS = 30 * 24 * 3_600_000;
const OPERATION_TRIES = 40;

export interface Told {
  readonly violations: readonly string[];
  readonly trace: readonly string[];
}

class Simulation {
  readonly world: World;
  readonly store: SimulatedStore;
  readonly acquirer: SimulatedAcquirer;
  #names = 0;

  constructor(
    seed: number,
    private readonly scenario: Scenario,
    private readonly bugs: Bugs,
  ) {
    this.world = new World(seed);
    this.store = new SimulatedStore(this.world, bugs);
    this.acquirer = new SimulatedAcquirer(this.world, this.store);
  }

  async run(): Promise<Told> {
    const { world } = this;
    const payment = this.scenario.payment();
    this.store.insert(payment);
    this.#spawnCaller(payment);
    for (let turns = 0; turns < TURNS_MAX; turns += 1) {
      // Whatever was resumed runs on until it waits for the world again.
      await new Promise((resolve) => setImmediate(resolve));
      if (world.violations.length > 0) break;
      this.store.renewLeases();
      if (world.turn()) continue;
      if (!this.#passTime(payment._id)) break;
      if (turns === TURNS_MAX - 1) world.violated('end', 'the payment never came to rest');
    }
    if (world.violations.length === 0) audit(world, this.store.get(payment._id), this.acquirer.books);
    return { violations: world.violations, trace: world.trace };
  }

  /** Nobody can go on: time passes until something is due. False when nothing ever will be. */
  #passTime(id: string): boolean {
    const { world } = this;
    const { work, deadline, activeOp, alerts } = this.store.get(id);
    const abandoned = alerts && world.nowMs - EPOCH_MS > DAYS_30_MS;
    const workMs = work && !abandoned ? Math.max(work.dueAt.getTime(), work.leaseUntil.getTime() + 1) : Infinity;
    const deadlineMs = deadline && !activeOp ? deadline.at.getTime() : Infinity;
    const nextMs = Math.min(world.nextAtMs(), workMs, deadlineMs);
    if (nextMs === Infinity) return false;
    // A living holder renews its lease while it waits; only then may time jump.
    const stepMs = Math.min(nextMs, world.nowMs + (world.processes.size > 0 ? limits.leaseRenewMs : Infinity));
    world.advanceTo(stepMs);
    this.store.renewLeases();
    if (work && workMs <= world.nowMs) this.#spawnWorker(id, work.txId);
    if (deadlineMs <= world.nowMs) this.#spawnExpiry(id);
    return true;
  }

  #name = (kind: string) => {
    this.#names += 1;
    return `${kind}-${this.#names}`;
  };

  /** A nudge may be lost, late or doubled. */
  #nudge(id: string, txId: string, delayMs: number): void {
    const { world } = this;
    const times = world.pick([0, 1, 1, 1, 2]);
    for (let n = 0; n < times; n += 1) {
      const lateMs = world.chance(0.2) ? world.random() * 20_000 : 0;
      world.after(delayMs + lateMs, () => this.#spawnWorker(id, txId));
    }
  }

  /**
   * The nudge of the call that stored the payment. It may be lost or late; that it is doubled within the lease of a payment which
   * is stored as claimed is what `Delivery.alone` rules out, so a second one is like that of a sweep.
   */
  #firstNudge(payment: Payment): void {
    const { world } = this;
    const txId = payment.transactions[0]?.id ?? '';
    if (!payment.work?.attempt?.atInsert) {
      this.#nudge(payment._id, txId, 0);
      return;
    }
    if (world.chance(0.15)) return;
    const lateMs = world.chance(0.2) ? world.random() * 6_000 : 0;
    world.after(lateMs, () => this.#spawnWorker(payment._id, txId, true));
    if (world.chance(0.3)) this.#nudge(payment._id, txId, 0);
  }

  #spawnCaller(payment: Payment): void {
    const { world } = this;
    world.spawn(this.#name('api'), async (process) => {
      const store = this.store.seenBy(process);
      this.#firstNudge(payment);
      // The end of the wait for an outcome: `pending` for everybody, unless the outcome was faster.
      await world.sleep(process, world.pick([20, 500, limits.busyWaitMs, 15_000]));
      const current = (await store.findById(payment._id)) ?? payment;
      const moment = { now: world.now(), renderCallback: () => '' };
      await store.update(current, (newest) =>
        newest.status === 'created' ? applyMoves(newest, ['submitted'], moment) : undefined,
      );
    });
    this.scenario.operations.forEach((asked, index) => {
      world.spawn(this.#name(`api-${asked.kind}`), (process) => this.#operate(process, payment._id, asked, index));
    });
  }

  async #operate(process: Process, id: string, { kind, amountMinor }: Asked, index: number): Promise<void> {
    const { world } = this;
    const store = this.store.seenBy(process);
    for (let tries = 0; tries < OPERATION_TRIES; tries += 1) {
      const found = (await store.findById(id)) as Payment;
      const seen = this.bugs.ignoreBusy ? { ...found, activeOp: undefined } : found;
      const context = {
        now: world.now(),
        txId: `txn_${kind}_${index}_${tries}`,
        awaitedUntil: world.now(),
        bounds: limits,
      };
      const plan = planOperation(seen, kind, { referenceId: `op-${index}`, requestDigest: 'd', amountMinor }, context);
      if (plan.kind === 'planned') {
        const saved = await store.save(found, plan.payment);
        if (saved !== 'conflict') return this.#nudge(id, plan.txId, 0);
      } else if (plan.kind === 'duplicate' || plan.kind === 'amount') return;
      await world.sleep(process, tries < 10 ? 200 : 30_000);
    }
  }

  #spawnExpiry(id: string): void {
    const { world } = this;
    world.spawn(this.#name('expiry'), async (process) => {
      const store = this.store.seenBy(process);
      const found = (await store.findById(id)) as Payment;
      const txId = `txn_${this.#name('due')}`;
      const saved = await store.update(found, (current) => planDeadline(current, { now: world.now(), txId }));
      if (saved?.work) this.#nudge(id, saved.work.txId, 0);
    });
  }

  #spawnWorker(id: string, txId: string, first = false): void {
    const { world } = this;
    world.spawn(this.#name('worker'), async (process) => {
      const claimedMs = world.nowMs;
      const nudge = { paymentId: id, txId };
      const payment =
        (first ? await this.store.take(process, nudge) : undefined) ?? (await this.store.claim(process, nudge));
      if (!payment?.work?.leaseToken) return;
      const { work } = payment;
      const claimed: Claimed = {
        payment,
        work,
        replyTo: undefined,
        log: silent,
        mayStillSend: () => this.bugs.sendAnyTime === true || world.nowMs - claimedMs < limits.sendByMs,
      };
      const handle = { inquire: handleInquiry, reverse: handleReversal }[work.kind as string] ?? handleSend;
      try {
        await handle(this.#deps(process), claimed);
      } finally {
        this.store.release(id, work.leaseToken ?? '');
      }
    });
  }

  #deps(process: Process): ProcessorPoolDeps {
    const { world } = this;
    const processor = this.acquirer.seenBy(process);
    return {
      payments: this.store.seenBy(process) as unknown as ProcessorPoolDeps['payments'],
      processors: { get: () => (this.bugs.processor ? this.bugs.processor(processor) : processor) },
      // No payment of the simulation saves its card.
      instruments: {} as ProcessorPoolDeps['instruments'],
      customers: { find: async () => undefined },
      bins: {} as ProcessorPoolDeps['bins'],
      cardTesting: noCardTesting,
      // No processor of the simulation sends updates.
      updates: {} as ProcessorPoolDeps['updates'],
      vault: {
        seal: async () => ({
          v: 1 as const,
          alg: 'A256GCM' as const,
          kid: 'card:0',
          iv: Buffer.alloc(12),
          ct: Buffer.alloc(16),
        }),
        open: async () => {
          await world.step(process);
          return Buffer.from('{"number":"4242424242424242","expMonth":1,"expYear":2030}');
        },
      },
      nudges: {
        ready: () => true,
        add: async (job, payload, delayMs = 0) => {
          const { paymentId, txId } = payload as unknown as { paymentId: string; txId: string };
          if (job.queue === 'processor') this.#nudge(paymentId, txId, delayMs);
          return true;
        },
        close: async () => undefined,
      },
      publish: () => undefined,
      renderCallback: () => '',
      schedule: { ...schedule, ...this.bugs.schedule },
      clock: { now: () => world.now() },
      log: silent,
      metrics: { outcome: () => undefined, event: () => undefined } as unknown as ProcessorPoolDeps['metrics'],
      // A breaker of each process, open when it likes.
      routes: { isOpen: () => this.world.chance(0.2), begin: () => () => undefined },
      concurrency: 1,
      batchWrites: true,
    };
  }
}

export const simulate = (seed: number, scenario: ScenarioName, bugs: Bugs = {}): Promise<Told> =>
  new Simulation(seed, scenarios[scenario], bugs).run();
