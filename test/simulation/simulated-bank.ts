/** A bank that issues codes and takes money for them, behind a network that loses and delays messages. Its books are the truth. */
import type { Transfer } from '../../shared/domain/payment/plan-transfer.js';
import type { Approved, CodeResult, Processor, SendResult } from '../../shared/processors/processor.js';
import type { Fault } from './faults.js';
import type { Process } from './process.js';
import { TIMEOUT_MS } from './simulated-processor.js';
import type { World } from './world.js';

const TRAVEL_MS = 20;
const SLOW_MS = 9_000;
const approved: Approved = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' };
const refused: SendResult = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: '12',
  resultMessage: 'No',
};
const noAnswer = { kind: 'no-answer', internal: 'time-out' } as const;
const unknown = { kind: 'unknown', internal: 'time-out' } as const;
const notSent = { kind: 'not-sent', internal: 'refused' } as const;

export class SimulatedBank {
  issuedCodes = 0;
  cancelled = false;
  rejected = false;
  readonly transfers: Omit<Transfer, 'returned'>[] = [];
  readonly #operations = new Map<string, SendResult>();

  constructor(
    private readonly world: World,
    private readonly amountMinor: number,
  ) {}

  /** Makes the payer pay, if there is a code that takes money. */
  pay(): void {
    if (this.issuedCodes === 0 || this.cancelled || this.rejected) return;
    const { amountMinor, transfers, world } = this;
    transfers.push({ id: `transfer-${transfers.length + 1}`, paidAt: world.now(), amountMinor, currency: 'USD' });
    world.note('the payer pays');
  }

  reject(): void {
    if (this.issuedCodes > 0 && !this.cancelled && this.transfers.length === 0) this.rejected = true;
  }

  /** Returns the port as one process uses it. */
  processorFor(process: Process): Processor {
    const unsupported = async () => refused;
    return {
      code: 'simulated',
      traits: { dedupes: true, tombstones: true, refundNeedsPan: false },
      authorize: unsupported,
      refund: unsupported,
      cancel: ({ key }) => this.#send(process, 'cancel', unknown, () => this.#cancel(key)),
      inquire: ({ key }) =>
        this.#inquire(process, 'inquire at the bank', () => {
          const outcome = this.#operations.get(key);
          return outcome?.kind === 'approved' || outcome?.kind === 'declined'
            ? { kind: 'found', outcome }
            : { kind: 'not-found' };
        }),
      reverse: async () => ({ kind: 'nothing-found' }),
      issueCode: () => this.#send(process, 'issue a code', unknown, () => this.#issue()),
      findTransfers: () => {
        // The bank's state at the time of the inquiry may be outdated when the process gets the answer.
        const found = {
          kind: 'found' as const,
          transfers: this.transfers.map((transfer) => ({ ...transfer, returned: this.cancelled })),
          ...(this.rejected && { rejected: { resultCode: '05', resultMessage: 'No' } }),
        };
        return this.#inquire(process, 'look for transfers', () => found);
      },
      close: async () => undefined,
    };
  }

  #cancel(key: string): SendResult {
    const earlier = this.#operations.get(key);
    if (earlier) return earlier;
    const result = this.cancelled || this.rejected ? refused : approved;
    if (result === approved) this.cancelled = true;
    this.#operations.set(key, result);
    return result;
  }

  #issue(): CodeResult {
    this.issuedCodes += 1;
    const account = { scheme: 'test.bank', account: 'A', reference: 'REFERENCE1' };
    return { kind: 'issued', account, url: 'https://bank.test/1' };
  }

  /** Executes an operation with an effect. */
  #send<T, U>(process: Process, label: string, resultOnSilence: U, execute: () => T): Promise<T | U | typeof notSent> {
    const fault = this.world.passPoint(process, 'send', label);
    if (fault === 'dies-after' || fault === 'silent' || fault === 'late') execute();
    if (this.#killedBy(process, fault) || fault === 'not-sent')
      return this.#answerAfter(process, TRAVEL_MS, () => notSent);
    if (fault === 'sleeps') this.world.sleep(process);
    if (fault && !['slow', 'pending', 'sleeps'].includes(fault))
      return this.#answerAfter(process, TIMEOUT_MS, () => resultOnSilence);
    return this.#answerAfter(process, fault === 'slow' ? SLOW_MS : TRAVEL_MS, execute);
  }

  #inquire<T>(process: Process, label: string, read: () => T): Promise<T | typeof noAnswer> {
    const fault = this.world.passPoint(process, 'ask', label);
    if (this.#killedBy(process, fault) || fault === 'lost')
      return this.#answerAfter(process, TIMEOUT_MS, () => noAnswer);
    return this.#answerAfter(process, fault === 'slow' ? SLOW_MS : TRAVEL_MS, read);
  }

  #killedBy(process: Process, fault: Fault | undefined): boolean {
    if (fault !== 'dies-before' && fault !== 'dies-after') return false;
    this.world.kill(process);
    return true;
  }

  #answerAfter<T>(process: Process, ms: number, makeAnswer: () => T): Promise<T> {
    return new Promise<T>((resolve) => {
      this.world.after(ms, () => {
        const answer = makeAnswer();
        this.world.post(process, () => resolve(answer));
      });
    });
  }
}
