/**
 * An acquirer with its own books, behind a network that loses and delays messages. Its books are the truth: at the end they are compared
 * with the payments. It approves everything except for the cards below, so that only the gateway can prevent too much.
 */

import type {
  Approved,
  AuthorizeRequest,
  Definitive,
  FollowUpRequest,
  InquireResult,
  Processor,
  ProcessorTraits,
  ReverseRequest,
  ReverseResult,
  SendResult,
} from '../../shared/processors/processor.js';
import type { Fault } from './faults.js';
import type { Process } from './process.js';
import type { World } from './world.js';

/** Visa numbers. Numbers that are not listed are approved. */
export const cards = {
  good: '4242424242424242',
  declined: '4000000000000002',
  /** Declined at the first acquirer, with the advice to retry later. */
  soft: '4000000000000119',
  /** Approved for a part of the amount only. */
  part: '4000000000000010',
} as const;

const PART_MINOR = 700;

/** An operation in the books of the acquirer. */
export interface BookEntry {
  readonly kind: 'authorize' | 'capture' | 'cancel' | 'refund';
  readonly key: string;
  readonly original: string | undefined;
  readonly acquirer: string;
  /** The amount in effect: of a partial approval, the approved part. */
  readonly amountMinor: number;
  /** The acquirer's own reference of the operation. */
  readonly reference: string;
  /** Set for an operation that a person made at the acquirer. */
  readonly byHand?: true;
  /** Set for an authorization that captures too. */
  readonly oneStep?: true;
  answer: Definitive | 'pending';
  reversed: boolean;
}

export const TIMEOUT_MS = 30_000;
const TRAVEL_MS = 20;
/** Longer than a lease, so that only a renewed lease survives it. */
const SLOW_MS = 9_000;
const LATE_MS = 45_000;
/** Time after which a pending operation is decided. */
const DECIDED_MS = 30_000;
const approved: Approved = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' };
const declined: Definitive = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: '51',
  resultMessage: 'Not now',
  advice: 'retry-later',
};
const refused: Definitive = { kind: 'failed', resultCode: '94', resultMessage: 'Taken back before it came' };
const returned: Definitive = { kind: 'failed', resultCode: '57', resultMessage: 'Returned by the bank' };
const noAnswer = { kind: 'no-answer', internal: 'time-out' } as const;
const unknown = { kind: 'unknown', internal: 'time-out' } as const;

/** Examines each call before it is sent. */
export interface SendObserver {
  beforeSend(process: Process, key: string): void;
}

/** How the acquirer of a scenario behaves. */
export interface Behaviour {
  readonly traits: ProcessorTraits;
  /** Routes that cannot be reached. */
  readonly unreachable?: readonly string[];
  /** Refunds are approved, and returned this long afterwards (ms). */
  readonly returnsRefundsAfterMs?: number;
  /** Persons operate on payments at the acquirer: what does not fit the books is declined. */
  readonly refusesImpossible?: boolean;
}

/** Is notified of everything that the acquirer decides. */
export interface BookObserver {
  decided(entry: BookEntry): void;
  returned(entry: BookEntry): void;
  reversed(original: string, effects: readonly BookEntry[]): void;
}

/** Whether the operation is in effect. */
export const isApproved = ({ answer, reversed }: BookEntry): boolean =>
  answer !== 'pending' && answer.kind === 'approved' && !reversed;

const cardOf = ({ credential }: AuthorizeRequest): string =>
  (credential as { readonly card?: { readonly number: string } }).card?.number ?? '';

export class SimulatedAcquirer {
  readonly books: BookEntry[] = [];
  /** Keys that were sent and have no answer yet, by process. */
  readonly inFlight = new Map<Process, Set<string>>();
  /** Number of effects that have not happened yet. */
  pendingEffects = 0;
  readonly #tombstones = new Set<string>();
  /** The acquirer that first got a key. */
  readonly #acquirerByKey = new Map<string, string>();

  constructor(
    private readonly world: World,
    private readonly behaviour: Behaviour,
    private readonly observer: SendObserver,
    private readonly bookObserver: BookObserver,
  ) {}

  get traits(): ProcessorTraits {
    return this.behaviour.traits;
  }

  /** Returns the port as one process uses it. */
  processorFor(process: Process): Processor {
    const followUp = (kind: BookEntry['kind']) => (request: FollowUpRequest) =>
      this.#send(process, kind, request, request.original, approved);
    return {
      code: 'simulated',
      traits: this.behaviour.traits,
      authorize: (request) => this.#send(process, 'authorize', request, undefined, this.#decide(request)),
      capture: followUp('capture'),
      cancel: followUp('cancel'),
      refund: followUp('refund'),
      inquire: ({ key, acquirer }) => this.#inquire(process, key, acquirer),
      reverse: (request) => this.#reverse(process, request),
      close: async () => undefined,
    };
  }

  #decide(request: AuthorizeRequest): Definitive {
    const number = cardOf(request);
    if (number === cards.declined) return declined;
    if (number === cards.part) return { ...approved, approvedMinor: PART_MINOR };
    return number === cards.soft && request.acquirer.endsWith('-a') ? declined : approved;
  }

  /** Produces the answer when the network delivers it. The process may get it later. */
  #answerAfter<T>(process: Process, key: string, ms: number, makeAnswer: () => T): Promise<T> {
    const keys = this.inFlight.get(process) ?? new Set();
    this.inFlight.set(process, keys.add(key));
    return new Promise<T>((resolve) => {
      this.world.after(ms, () => {
        keys.delete(key);
        const answer = makeAnswer();
        this.world.post(process, () => resolve(answer));
      });
    });
  }

  #scheduleEffect(ms: number, happen: () => unknown): void {
    this.pendingEffects += 1;
    this.world.after(ms, () => {
      this.pendingEffects -= 1;
      happen();
    });
  }

  #travelMs(): number {
    return this.world.faultPlan.randomized ? Math.floor(this.world.random() * 400) : TRAVEL_MS;
  }

  async #send(
    process: Process,
    kind: BookEntry['kind'],
    request: AuthorizeRequest | FollowUpRequest,
    original: string | undefined,
    verdict: Definitive,
  ): Promise<SendResult> {
    const { world } = this;
    const { key, acquirer } = request;
    const fault = this.behaviour.unreachable?.includes(acquirer)
      ? 'not-sent'
      : world.passPoint(process, 'send', `${kind} at ${acquirer}`);
    const leaves = fault !== 'dies-before' && fault !== 'not-sent';
    if (leaves) this.observer.beforeSend(process, key);
    if (leaves) this.#checkRoute(acquirer, key, original);
    const book = (answer: BookEntry['answer']) => this.#book(kind, request, original, answer);
    if (!leaves) {
      if (fault === 'dies-before') world.kill(process);
      return this.#answerAfter(process, key, this.#travelMs(), () => ({ kind: 'not-sent', internal: 'refused' }));
    }
    if (fault === 'dies-after') world.kill(process);
    if (fault === 'silent') this.#scheduleEffect(this.#travelMs(), () => book(verdict));
    if (fault === 'late') this.#scheduleEffect(LATE_MS, () => book(verdict));
    if (fault === 'sleeps') world.sleep(process);
    if (fault === 'silent' || fault === 'late' || fault === 'lost')
      return this.#answerAfter(process, key, TIMEOUT_MS, () => unknown);
    if (fault === 'pending')
      return this.#answerAfter(process, key, this.#travelMs(), () => this.#decideLater(book('pending'), verdict));
    return this.#answerAfter(process, key, fault === 'slow' ? SLOW_MS : this.#travelMs(), () =>
      this.#toResult(book(verdict)),
    );
  }

  #decideLater(booked: BookEntry, verdict: Definitive): SendResult {
    const answer = this.#toResult(booked);
    this.#scheduleEffect(DECIDED_MS, () => {
      if (booked.answer !== 'pending') return;
      booked.answer = this.#isPossible(booked) ? verdict : declined;
      this.bookObserver.decided(booked);
    });
    return answer;
  }

  #toResult({ answer }: BookEntry): SendResult {
    return answer === 'pending' ? { kind: 'pending', resultMessage: 'Later' } : answer;
  }

  #book(
    kind: BookEntry['kind'],
    request: AuthorizeRequest | FollowUpRequest,
    original: string | undefined,
    answer: BookEntry['answer'],
  ): BookEntry {
    const { key, amountMinor, acquirer } = request;
    const existing = this.books.find((booked) => booked.key === key);
    if (existing && this.behaviour.traits.dedupes) return existing;
    const part = answer !== 'pending' && answer.kind === 'approved' ? answer.approvedMinor : undefined;
    const operation = { kind, key, original, acquirer, amountMinor: part ?? amountMinor, reversed: false };
    return this.#enter({ ...operation, ...('capture' in request && request.capture && { oneStep: true }) }, answer);
  }

  #enter(operation: Omit<BookEntry, 'answer' | 'reference'>, answer: BookEntry['answer']): BookEntry {
    const reference = `reference-${this.books.length + 1}`;
    const verdict = this.#tombstones.has(operation.key) ? refused : answer;
    const booked: BookEntry = { ...operation, reference, answer: verdict };
    if (verdict !== refused && !this.#isPossible(booked)) booked.answer = declined;
    if (booked.answer !== 'pending') booked.answer = { ...booked.answer, processorReference: reference };
    this.books.push(booked);
    const { returnsRefundsAfterMs } = this.behaviour;
    if (booked.kind === 'refund' && returnsRefundsAfterMs !== undefined) {
      this.world.after(returnsRefundsAfterMs, () => {
        booked.answer = returned;
        this.bookObserver.returned(booked);
      });
    }
    if (booked.answer !== 'pending') this.bookObserver.decided(booked);
    return booked;
  }

  /** Whether the operation fits what was done to its payment, if persons operate on payments too. */
  #isPossible({ kind, original, amountMinor }: BookEntry): boolean {
    if (kind === 'authorize' || this.behaviour.refusesImpossible !== true) return true;
    const inEffect = this.books.filter((entry) => entry.original === original && isApproved(entry));
    const sum = (wanted: BookEntry['kind']) =>
      inEffect.reduce((total, entry) => total + (entry.kind === wanted ? entry.amountMinor : 0), 0);
    const [first] = this.books.filter(({ key }) => key === original);
    const captured = first?.oneStep ? first.amountMinor : sum('capture');
    if (kind === 'refund') return sum('refund') + amountMinor <= captured;
    return captured === 0 && sum('cancel') === 0;
  }

  /** Lets a person operate on a payment at the acquirer. It has no key of the gateway. */
  operateByHand(kind: 'capture' | 'cancel' | 'refund', original: string, amountMinor: number | undefined): void {
    const first = this.books.find((entry) => entry.key === original && isApproved(entry));
    if (!first) return;
    const { acquirer } = first;
    const key = `by-hand-${this.books.length + 1}`;
    this.world.note(`a person at the acquirer: ${kind}`);
    const amount = amountMinor ?? first.amountMinor;
    this.#enter({ kind, key, original, acquirer, amountMinor: amount, byHand: true, reversed: false }, approved);
  }

  #inquire(process: Process, key: string, acquirer: string): Promise<InquireResult> {
    this.#checkRoute(acquirer, key);
    const fault = this.world.passPoint(process, 'ask', 'inquire');
    if (this.#loseAnswer(process, fault)) return this.#answerAfter(process, key, TIMEOUT_MS, () => noAnswer);
    return this.#answerAfter(process, key, fault === 'slow' ? SLOW_MS : this.#travelMs(), (): InquireResult => {
      const booked = this.books.find((entry) => entry.key === key);
      if (!booked) return { kind: 'not-found' };
      const { answer } = booked;
      return { kind: 'found', outcome: answer === 'pending' ? { kind: 'pending', resultMessage: 'Later' } : answer };
    });
  }

  #reverse(process: Process, { original, acquirer }: ReverseRequest): Promise<ReverseResult> {
    this.#checkRoute(acquirer, original);
    const fault = this.world.passPoint(process, 'send', 'reverse');
    const reverseEffects = (): ReverseResult => {
      const effects = this.books.filter((entry) => entry.key === original && isApproved(entry));
      for (const entry of effects) entry.reversed = true;
      this.bookObserver.reversed(original, effects);
      if (this.behaviour.traits.tombstones) this.#tombstones.add(original);
      return { kind: effects.length > 0 ? 'reversed' : 'nothing-found' };
    };
    if (fault === 'silent' || fault === 'late' || fault === 'dies-after')
      this.#scheduleEffect(this.#travelMs(), reverseEffects);
    if (this.#loseAnswer(process, fault)) return this.#answerAfter(process, original, TIMEOUT_MS, () => noAnswer);
    return this.#answerAfter(process, original, fault === 'slow' ? SLOW_MS : this.#travelMs(), reverseEffects);
  }

  /** Applies a death or a pause of the process, and returns whether no answer arrives. */
  #loseAnswer(process: Process, fault: Fault | undefined): boolean {
    if (fault === 'dies-before' || fault === 'dies-after') this.world.kill(process);
    if (fault === 'sleeps') this.world.sleep(process);
    return fault !== undefined && !['slow', 'pending', 'sleeps'].includes(fault);
  }

  /** Checks that no two acquirers get the same key, and that a follow-up goes to the acquirer that has the operation. */
  #checkRoute(acquirer: string, key: string, original = key): void {
    for (const one of [key, original]) {
      const first = this.#acquirerByKey.get(one) ?? acquirer;
      this.#acquirerByKey.set(one, first);
      if (first !== acquirer) this.world.violated('route', `${one} of ${first} was sent to ${acquirer}`);
    }
  }
}
