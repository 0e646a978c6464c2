/** What the parts of the conformance suite share: the harness of an adapter, requests as the core makes them, the books. */
import { randomBytes } from 'node:crypto';
import { canDo, type ProcessorCode } from '../../shared/processors/capabilities.js';
import type { ProcessorOperation } from '../../shared/processors/capabilities-of.js';
import { capabilityTable } from '../../shared/processors/capability-table.js';
import { checkAnswers } from '../../shared/processors/check-answers.js';
import type {
  AuthorizeRequest,
  Definitive,
  FollowUpRequest,
  InquireRequest,
  LedgerEntry,
  Processor,
  ProcessorCard,
  ProcessorReferences,
  SendResult,
} from '../../shared/processors/processor.js';
import { keepingLog } from '../processors/keeping-log.js';
import { asTheCore, type CoreAdapter } from './as-the-core.js';
import type { Peer } from './http-peers.js';

export interface ProcessorHarness {
  /** Where the processor is. */
  readonly address: string;
  /** Makes the adapter for an address; the suite closes it. */
  connect(address: string, timeoutMs: number): Processor;
  readonly cards: { readonly approved: ProcessorCard; readonly declined: ProcessorCard };
  readonly currency: string;
  readonly acquirer: string;
  /** The merchant's credentials at the processor, where it has any. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** What an original would be called that the processor does not know; absent where it is asked by our key. */
  readonly unknownReferences?: ProcessorReferences;
  /** Where outcomes come by notification: what the update of a key says. */
  notified?(key: string): Promise<Definitive>;
  /** An inquiry finds an operation so long after it was made. */
  readonly inquiryLagMs: number;
  /** Captures, cancellations and refunds look the payment up before anything is sent. */
  readonly looksUpFirst?: true;
  /** The processor's own books, oldest first. */
  books(): Promise<readonly LedgerEntry[]>;
  /** Changes one field of an answer of the processor (text in, text out). */
  tamper(field: 'key' | 'amount' | 'currency', answer: string): string;
  /** Pays the code of this address as a payer would; absent where codes are not issued. */
  payCode?(url: string): Promise<unknown>;
  /** Everything the adapter has logged. */
  logged(): string;
  close(): Promise<void>;
}

/** Beyond what a busy machine takes to answer: only what never comes is waited for so long. */
export const TIMEOUT_MS = 30_000;
export const SHORT_TIMEOUT_MS = 500;

/** Requests as the core makes them, each with a key of its own. */
function requests(
  { cards, currency, acquirer, credentials, unknownReferences = {} }: ProcessorHarness,
  { processor, namesOf }: CoreAdapter,
) {
  const made = new Map<string, AuthorizeRequest>();
  const newKey = () => `txn_${randomBytes(16).toString('hex')}`;
  const merchant = {
    id: 1,
    name: 'Casa Lumbre',
    merchantIdentificationNumber: '1234567',
    terminalNumber: '1',
    ...(credentials && { credentials }),
  };
  const order = { referenceId: 'order-1', invoiceNumber: 'INV-1' };
  const base = { currency, acquirer, merchant, traceId: 'trace-conformance' };
  return {
    newKey,
    authorize(more: Partial<AuthorizeRequest> = {}): AuthorizeRequest {
      const request: AuthorizeRequest = {
        ...base,
        key: newKey(),
        amountMinor: 1_000,
        money: {},
        order,
        payer: {},
        credential: { source: 'card', card: cards.approved },
        capture: true,
        verification: false,
        ...more,
      };
      made.set(request.key, request);
      return request;
    },
    onto: (original: string, amountMinor: number): FollowUpRequest => ({
      ...base,
      key: newKey(),
      original,
      originalReferences: namesOf(original) ?? unknownReferences,
      originalAmountMinor: amountMinor,
      order,
      amountMinor,
    }),
    reverse: ({ key, amountMinor }: { key: string; amountMinor: number }) => ({
      key: `${key}-reverse`,
      original: key,
      originalReferences: namesOf(key) ?? {},
      amountMinor,
      ...base,
    }),
    inquire: (key: string, more: Partial<InquireRequest> = {}): InquireRequest => ({
      ...base,
      key,
      operation: 'authorize',
      amountMinor: 1_000,
      references: {},
      ...(processor.traits.inquiresBySending && made.has(key) && { sentRequest: made.get(key) as AuthorizeRequest }),
      ...more,
    }),
  };
}

export interface Suite {
  /** Whether the adapter has the operation: tests of what it has not are not declared. */
  has(operation: ProcessorOperation): boolean;
  /** The adapter inquires by sending again, and is answered as the first time. */
  readonly sendsToInquire: boolean;
  /** Only for what it has. */
  operate(operation: 'capture' | 'cancel' | 'refund', request: FollowUpRequest): Promise<SendResult>;
  readonly harness: ProcessorHarness;
  readonly processor: Processor;
  readonly make: ReturnType<typeof requests>;
  /** Runs after the test. */
  atEnd(end: () => Promise<void>): void;
  /** An adapter that talks to a peer of the test. */
  connectTo(peer: Peer, timeoutMs?: number): Processor;
  /** Lines of the processor's books under a key. */
  linesOf(key: string): Promise<readonly LedgerEntry[]>;
  approvedLinesOf(key: string): Promise<readonly LedgerEntry[]>;
  /** What makes an authorization one that is declined. */
  declined(): Pick<AuthorizeRequest, 'credential'>;
  /** An approved authorization. */
  hold(amountMinor?: number): Promise<AuthorizeRequest>;
  /** An approved purchase. */
  purchase(amountMinor?: number): Promise<AuthorizeRequest>;
}

/** Tests of an operation that the adapter may be without. */
export function describeIf(has: boolean, name: string, body: () => void): void {
  if (has) describe(name, body);
}

export function itIf(has: boolean, name: string, body: () => Promise<void>): void {
  if (has) it(name, body);
}

/** Starts the harness around the tests of the `describe` in which it is called; use its members inside tests only. */
export function openSuite(code: ProcessorCode, makeHarness: () => Promise<ProcessorHarness>): Suite {
  let harness: ProcessorHarness;
  let processor: Processor;
  let make: ReturnType<typeof requests>;
  const ends: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    harness = await makeHarness();
    const core = asTheCore(checkAnswers(harness.connect(harness.address, TIMEOUT_MS), keepingLog()), harness);
    processor = core.processor;
    make = requests(harness, core);
  });
  afterEach(async () => {
    for (const end of ends.splice(0)) await end();
  });
  afterAll(async () => {
    await processor?.close();
    await harness?.close();
  });

  const linesOf = async (key: string) => (await harness.books()).filter((entry) => entry.key === key);

  async function approved(request: AuthorizeRequest): Promise<AuthorizeRequest> {
    expect(await processor.authorize(request)).toMatchObject({ kind: 'approved' });
    return request;
  }

  return {
    get harness() {
      return harness;
    },
    get processor() {
      return processor;
    },
    get make() {
      return make;
    },
    atEnd: (end) => void ends.push(end),
    connectTo(peer, timeoutMs = TIMEOUT_MS) {
      const adapter = checkAnswers(harness.connect(peer.url, timeoutMs), keepingLog());
      ends.push(
        () => adapter.close(),
        () => peer.close(),
      );
      return adapter;
    },
    has: (operation) => canDo(code, operation),
    sendsToInquire: 'inquiresBySending' in capabilityTable[code],
    async operate(operation, request) {
      const send = processor[operation];
      if (!send) throw new Error(`the adapter has no ${operation}`);
      return send(request);
    },
    linesOf,
    approvedLinesOf: async (key) => (await linesOf(key)).filter(({ result }) => result === 'approved'),
    declined: () => ({ credential: { source: 'card', card: harness.cards.declined } }),
    hold: (amountMinor = 1_000) => approved(make.authorize({ capture: false, amountMinor })),
    purchase: (amountMinor = 1_000) => approved(make.authorize({ amountMinor })),
  };
}
