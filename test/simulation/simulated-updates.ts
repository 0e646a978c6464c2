/**
 * The updates that an acquirer sends by itself (webhooks, notifications) about everything that it decides: late, twice, in any order, and
 * again until an API process has acknowledged them.
 */
import { reversalId } from '../../shared/domain/payment/plan-reversal.js';
import type { Definitive } from '../../shared/processors/processor.js';
import type { ProcessorUpdate } from '../../shared/processors/updates.js';
import { applyProcessorUpdate } from '../../shared/queue/apply-update.job.js';
import type { Api } from './gateway.js';
import type { Process } from './process.js';
import type { BookEntry, BookObserver } from './simulated-processor.js';
import type { World } from './world.js';

/** `outcomes`: an update says how an operation ended. `changes`: it says only that something changed. */
export type UpdateStyle = 'outcomes' | 'changes';

const CURRENCY = 'USD';
const SOON_MS = 30;
const LATE_MS = 120_000;
const AGAIN_MS = 10_000;
const TRACE = 'trace-update';
const doneKinds = { capture: 'capture', cancel: 'cancellation', refund: 'refund' } as const;

export class SimulatedUpdates implements BookObserver {
  /** Number of updates that no API process has acknowledged. */
  pending = 0;
  readonly #process: Process;
  #events = 0;

  constructor(
    private readonly world: World,
    private readonly apis: () => readonly Api[],
    private readonly style: UpdateStyle | undefined,
    private readonly processor: string,
  ) {
    this.#process = world.spawn('acquirer');
  }

  decided(entry: BookEntry): void {
    const { key, reference: processorReference, answer, kind } = entry;
    if (answer === 'pending') return;
    if (entry.byHand) {
      // Two events report it, as when a refund is created and when its state changes.
      if (answer.kind === 'approved')
        for (const update of [this.#byHand(entry), this.#byHand(entry)]) this.#send(update);
      return;
    }
    if (this.style === 'outcomes') {
      this.#send({ ...this.#event(), kind: 'outcome', key, processorReference, outcome: answer });
      return;
    }
    const isApproved = kind === 'authorize' && answer.kind === 'approved' && ({ isApproved: true } as const);
    this.#send({ ...this.#event(), kind: 'changed', key, processorReference, ...isApproved });
  }

  returned({ key, reference: processorReference, amountMinor, answer }: BookEntry): void {
    if (answer === 'pending') return;
    const { resultCode, resultMessage } = answer;
    const about = { amountMinor, currency: CURRENCY };
    this.#send({ ...this.#event(), kind: 'refund-failed', key, processorReference, about, resultCode, resultMessage });
  }

  reversed(original: string, effects: readonly BookEntry[]): void {
    if (this.style !== 'outcomes') return;
    const outcome: Definitive =
      effects.length > 0
        ? { kind: 'approved', resultCode: '00', resultMessage: 'Reversed' }
        : { kind: 'declined', error: 'declined-by-acquirer', resultCode: '25', resultMessage: 'Nothing to reverse' };
    this.#send({ ...this.#event(), kind: 'outcome', key: reversalId(original), original, outcome });
  }

  #event() {
    this.#events += 1;
    return { eventId: `event-${this.#events}`, at: this.world.now() };
  }

  #byHand({ kind, original: of = '', reference: processorReference, amountMinor }: BookEntry): ProcessorUpdate {
    const done = doneKinds[kind as keyof typeof doneKinds];
    const about = done === 'cancellation' ? {} : { amountMinor, currency: CURRENCY };
    return {
      ...this.#event(),
      kind: 'changed',
      processorReference,
      mayBeForeign: true,
      done: { kind: done, of, processorReference, ...about },
    };
  }

  #send(update: ProcessorUpdate): void {
    const { world } = this;
    if (this.style === undefined) return;
    const fault = world.passPoint(this.#process, 'update', `update ${update.kind}`);
    const { randomized } = world.faultPlan;
    const isLate = fault === 'late' || (randomized && world.random() < 0.2);
    const inMs = isLate ? LATE_MS : SOON_MS;
    this.#deliverAfter(fault === 'lost' ? inMs + AGAIN_MS : inMs, update);
    if (fault === 'twice') this.#deliverAfter(inMs, update);
  }

  #deliverAfter(ms: number, update: ProcessorUpdate): void {
    this.pending += 1;
    this.world.after(ms, () => {
      this.pending -= 1;
      this.#deliver(update);
    });
  }

  #deliver(update: ProcessorUpdate): void {
    const { world, processor } = this;
    const apis = this.apis();
    const api = world.faultPlan.randomized && apis.length > 0 ? world.pick(apis) : apis[0];
    if (!api) {
      this.#deliverAfter(AGAIN_MS, update);
      return;
    }
    this.pending += 1;
    let hasEnded = false;
    const end = (acknowledged: boolean) => {
      if (hasEnded) return;
      hasEnded = true;
      this.pending -= 1;
      if (!acknowledged) this.#deliverAfter(AGAIN_MS, update);
    };
    api.process.onDeath.push(() => end(false));
    world.startTask(api.process, async () => {
      try {
        const received = [{ processor, update, traceId: TRACE, receivedAt: world.now() }];
        const ids = await api.deps.updates.store(received);
        for (const updateId of ids) void api.deps.nudges.add(applyProcessorUpdate, { updateId, traceId: TRACE });
        end(true);
      } catch {
        end(false);
      }
    });
  }
}
