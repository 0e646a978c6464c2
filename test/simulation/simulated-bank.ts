/** A bank that issues codes and takes money for them, behind a network that loses and delays. Its books are what is true. */
import type { Transfer } from '../../shared/domain/payment/plan-transfer.js';
import type { Approved, CodeResult, Processor, SendResult } from '../../shared/processors/processor.js';
import type { Process, World } from './world.js';

const TIMEOUT_MS = 30_000;
/** After so many calls the network behaves: the end is to be reached. */
const TROUBLE_MAX = 12;
const approved: Approved = { kind: 'approved', resultCode: '00', resultMessage: 'Approved' };
const refused: SendResult = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: '12',
  resultMessage: 'No',
};
const noAnswer = { kind: 'no-answer', internal: 'time-out' } as const;
const unknown = { kind: 'unknown', internal: 'time-out' } as const;

type Fate = 'answered' | 'not-sent' | 'lost' | 'done-but-silent';

export class SimulatedBank {
  issued = 0;
  cancelled = false;
  rejected = false;
  readonly transfers: Omit<Transfer, 'returned'>[] = [];
  readonly #operations = new Map<string, SendResult>();
  #calls = 0;

  constructor(
    private readonly world: World,
    private readonly amountMinor: number,
  ) {}

  /** The payer pays, if there is a code that takes money. */
  pay(): void {
    if (this.issued === 0 || this.cancelled || this.rejected) return;
    const { amountMinor, transfers, world } = this;
    transfers.push({ id: `transfer-${transfers.length + 1}`, paidAt: world.now(), amountMinor, currency: 'USD' });
    world.note('the payer pays');
  }

  reject(): void {
    if (this.issued > 0 && !this.cancelled && this.transfers.length === 0) this.rejected = true;
  }

  /** The port as one process uses it. */
  seenBy(process: Process): Processor {
    const none = async () => refused;
    return {
      code: 'simulated',
      traits: { dedupes: true, tombstones: true, refundNeedsPan: false },
      authorize: none,
      capture: none,
      refund: none,
      cancel: ({ key }) => this.#send(process, key, () => this.#cancel()),
      inquire: async ({ key }) => {
        if (this.#fate() !== 'answered') return this.#travel(process, TIMEOUT_MS, () => noAnswer);
        return this.#travel(process, 100, () => {
          const outcome = this.#operations.get(key);
          return outcome?.kind === 'approved' || outcome?.kind === 'declined'
            ? { kind: 'found', outcome }
            : { kind: 'not-found' };
        });
      },
      reverse: async () => ({ kind: 'nothing-found' }),
      issueCode: () => this.#issue(process),
      findTransfers: async () => {
        if (this.#fate() !== 'answered') return this.#travel(process, TIMEOUT_MS, () => noAnswer);
        const news = {
          kind: 'found' as const,
          transfers: this.transfers.map((transfer) => ({ ...transfer, returned: this.cancelled })),
          ...(this.rejected && { rejected: { resultCode: '05', resultMessage: 'No' } }),
        };
        // What was true when the bank looked may be old when the process hears of it.
        return this.#travel(process, this.world.pick([100, 400, 4_000, 20_000]), () => news);
      },
      close: async () => undefined,
    };
  }

  #cancel(): SendResult {
    if (this.cancelled || this.rejected) return refused;
    this.cancelled = true;
    return approved;
  }

  #issue(process: Process): Promise<CodeResult> {
    const issue = (): CodeResult => {
      this.issued += 1;
      const account = { scheme: 'test.bank', account: 'A', reference: 'REFERENCE1' };
      return { kind: 'issued', account, url: 'https://bank.test/1' };
    };
    const fate = this.#fate();
    if (fate === 'answered') return this.#travel(process, 100, issue);
    return this.#travel(process, TIMEOUT_MS, () => {
      if (fate === 'done-but-silent') issue();
      return fate === 'not-sent' ? { kind: 'not-sent', internal: 'refused' } : unknown;
    });
  }

  #send(process: Process, key: string, act: () => SendResult): Promise<SendResult> {
    const once = () => {
      const known = this.#operations.get(key) ?? act();
      this.#operations.set(key, known);
      return known;
    };
    const fate = this.#fate();
    this.world.note(`${process.name} cancels at the bank: ${fate}`);
    if (fate === 'answered') return this.#travel(process, 100, once);
    if (fate === 'done-but-silent') this.world.after(200, once);
    return this.#travel(process, TIMEOUT_MS, () =>
      fate === 'not-sent' ? { kind: 'not-sent', internal: 'refused' } : unknown,
    );
  }

  #fate(): Fate {
    this.#calls += 1;
    if (this.#calls > TROUBLE_MAX || this.world.chance(0.7)) return 'answered';
    return this.world.pick(['not-sent', 'lost', 'done-but-silent']);
  }

  async #travel<T>(process: Process, ms: number, arrive: () => T): Promise<T> {
    const answer = await new Promise<T>((resolve) => this.world.after(ms, () => resolve(arrive())));
    await this.world.step(process);
    return answer;
  }
}
