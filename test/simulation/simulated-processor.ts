/**
 * An acquirer with books of its own, behind a network that loses, delays and repeats. Its books are what is true: they are
 * compared with the payments at the end. It approves whatever it is asked, so that only the gateway can prevent too much.
 */

import { isOpen } from '../../shared/domain/payment/statuses.js';
import type {
  Approved,
  Definitive,
  FollowUpRequest,
  InquireResult,
  Processor,
  ProcessorTraits,
  ReverseRequest,
  ReverseResult,
  SendResult,
} from '../../shared/processors/processor.js';
import type { SimulatedStore } from './simulated-store.js';
import type { Process, World } from './world.js';

export interface Booked {
  readonly kind: 'authorize' | 'capture' | 'cancel' | 'refund';
  readonly key: string;
  readonly original: string | undefined;
  readonly amountMinor: number;
  answer: Definitive | 'pending';
  reversed: boolean;
}

const TIMEOUT_MS = 30_000;
/** After so many calls the network behaves: the end is to be reached. */
const TROUBLE_MAX = 14;
const approved: Approved = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' };
const declined: Definitive = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: '51',
  resultMessage: 'Not now',
  advice: 'retry-later',
};
const refused: Definitive = { kind: 'failed', resultCode: '94', resultMessage: 'Taken back before it came' };
const noAnswer = { kind: 'no-answer', internal: 'time-out' } as const;
const unknown = { kind: 'unknown', internal: 'time-out' } as const;

type Fate = 'answered' | 'declined' | 'pending' | 'not-sent' | 'lost' | 'done-but-silent' | 'late';

export class SimulatedAcquirer {
  readonly books: Booked[] = [];
  readonly traits: ProcessorTraits;
  readonly #tombstones = new Set<string>();
  /** Which acquirer first heard of a key. */
  readonly #heardBy = new Map<string, string>();
  #calls = 0;

  constructor(
    private readonly world: World,
    private readonly store: SimulatedStore,
  ) {
    const [dedupes, tombstones] = [world.chance(0.5), world.chance(0.5)];
    this.traits = { dedupes, tombstones, refundNeedsPan: false };
  }

  /** The port as one process uses it. */
  seenBy(process: Process): Processor {
    const send = (kind: Booked['kind']) => (request: FollowUpRequest) => this.#send(process, kind, request);
    return {
      code: 'simulated',
      traits: this.traits,
      authorize: ({ key, amountMinor, ...rest }) =>
        this.#send(process, 'authorize', { ...rest, key, amountMinor } as unknown as FollowUpRequest),
      capture: send('capture'),
      cancel: send('cancel'),
      refund: send('refund'),
      inquire: ({ key, acquirer }) => {
        this.#judgeRoute(acquirer, key);
        return this.#inquire(process, key);
      },
      reverse: (request) => this.#reverse(process, request),
      close: async () => undefined,
    };
  }

  #fate(): Fate {
    this.#calls += 1;
    if (this.#calls > TROUBLE_MAX || this.world.chance(0.5)) return 'answered';
    return this.world.pick(['declined', 'pending', 'not-sent', 'lost', 'done-but-silent', 'late']);
  }

  /** Answers when the network does, which is not when the process hears of it. */
  async #travel<T>(process: Process, ms: number, arrive: () => T): Promise<T> {
    const answer = await new Promise<T>((resolve) => this.world.after(ms, () => resolve(arrive())));
    await this.world.step(process);
    return answer;
  }

  async #send(process: Process, kind: Booked['kind'], request: FollowUpRequest): Promise<SendResult> {
    const { world } = this;
    this.#judgeSend(request.key);
    this.#judgeRoute(request.acquirer, request.key, request.original);
    const fate = this.#fate();
    world.note(`${process.name} sends ${kind}: ${fate}`);
    const book = (answer: Booked['answer']) => this.#book(kind, request, answer);
    const soonMs = Math.floor(world.random() * 400);
    switch (fate) {
      case 'answered':
        return this.#travel(process, soonMs, () => this.#toResult(book(approved)));
      case 'declined':
        return this.#travel(process, soonMs, () => this.#toResult(book(declined)));
      case 'pending':
        return this.#travel(process, soonMs, () => {
          const booked = book('pending');
          const told = this.#toResult(booked);
          world.after(world.random() * 400_000, () => {
            if (booked.answer === 'pending') booked.answer = world.chance(0.7) ? approved : declined;
          });
          return told;
        });
      case 'not-sent':
        await world.step(process);
        return { kind: 'not-sent', internal: 'refused' };
      case 'lost':
        return this.#travel(process, TIMEOUT_MS, () => unknown);
      case 'done-but-silent':
        world.after(soonMs, () => book(approved));
        return this.#travel(process, TIMEOUT_MS, () => unknown);
      case 'late':
        world.after(TIMEOUT_MS + world.random() * 50_000, () => book(approved));
        return this.#travel(process, TIMEOUT_MS, () => unknown);
    }
  }

  #toResult(booked: Booked): SendResult {
    return booked.answer === 'pending' ? { kind: 'pending', resultMessage: 'Later' } : booked.answer;
  }

  #book(kind: Booked['kind'], request: FollowUpRequest, answer: Booked['answer']): Booked {
    const { key, amountMinor } = request;
    const known = this.books.find((booked) => booked.key === key);
    if (known && this.traits.dedupes) return known;
    const original = kind === 'authorize' ? undefined : request.original;
    const booked = {
      kind,
      key,
      original,
      amountMinor,
      answer: this.#tombstones.has(key) ? refused : answer,
      reversed: false,
    };
    this.books.push(booked);
    return booked;
  }

  async #inquire(process: Process, key: string): Promise<InquireResult> {
    if (this.#fate() !== 'answered') return this.#travel(process, TIMEOUT_MS, () => noAnswer);
    return this.#travel(process, 100, (): InquireResult => {
      const booked = this.books.find((entry) => entry.key === key);
      if (!booked) return { kind: 'not-found' };
      const { answer } = booked;
      return { kind: 'found', outcome: answer === 'pending' ? { kind: 'pending', resultMessage: 'Later' } : answer };
    });
  }

  #reverse(process: Process, { original, acquirer }: ReverseRequest): Promise<ReverseResult> {
    this.#judgeRoute(acquirer, original);
    const fate = this.#fate();
    const take = (): ReverseResult => {
      const effects = this.books.filter((entry) => entry.key === original && entry.answer === approved);
      for (const entry of effects) entry.reversed = true;
      if (this.traits.tombstones) this.#tombstones.add(original);
      return { kind: effects.length > 0 ? 'reversed' : 'nothing-found' };
    };
    if (fate === 'answered') return this.#travel(process, 100, take);
    return this.#travel(process, TIMEOUT_MS, () => {
      if (fate === 'done-but-silent') take();
      return noAnswer;
    });
  }

  /** Two acquirers never hear of one key, and what acts on an operation goes to the acquirer that has it. */
  #judgeRoute(acquirer: string, key: string, original = key): void {
    for (const known of [key, original]) {
      const first = this.#heardBy.get(known) ?? acquirer;
      this.#heardBy.set(known, first);
      if (first !== acquirer) this.world.violated('route', `${known} of ${first} was sent to ${acquirer}`);
    }
  }

  /**
   * I1 and I4: what leaves is stored, as work of this transaction, with its attempt. Where the processor dedupes, a worker that sends
   * again may be late: the outcome came in between, and its call has no effect.
   */
  #judgeSend(key: string): void {
    const payment = [...this.store.payments.values()].find(({ transactions }) =>
      transactions.some(({ id }) => id === key),
    );
    const tx = payment?.transactions.find(({ id }) => id === key);
    if (this.traits.dedupes && tx && !isOpen(tx.status)) return;
    if (payment?.work?.txId !== key || !payment.work.attempt)
      this.world.violated('I4', `${key} left without its attempt`);
  }
}
