/** Shared by the parts of the conformance suite: the harness of an adapter, requests as the core makes them, the books. */
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
import { type CoreAdapter, wrapAsCore } from './core-adapter.js';
import type { Peer } from './http-peers.js';

export interface ProcessorHarness {
  /** Address of the processor. */
  readonly address: string;
  /** Makes the adapter for an address. The suite closes it. */
  connect(address: string, timeoutMs: number): Processor;
  readonly cards: { readonly approved: ProcessorCard; readonly declined: ProcessorCard };
  readonly currency: string;
  readonly acquirer: string;
  /** The merchant's credentials at the processor, if the processor needs any. */
  readonly credentials?: Readonly<Record<string, string>>;
  /** References of an original that the processor does not know. Absent when the processor is asked by the key of the gateway. */
  readonly unknownReferences?: ProcessorReferences;
  /** Returns the outcome that the processor's notification about a key contains. Present when outcomes come by notification. */
  notifiedOutcome?(key: string): Promise<Definitive>;
  /** Time after which an inquiry finds an operation (ms). */
  readonly inquiryLagMs: number;
  /** Captures, cancellations and refunds look the payment up before anything is sent. */
  readonly looksUpFirst?: true;
  /** The processor's own books, oldest first. */
  books(): Promise<readonly LedgerEntry[]>;
  /** Changes one field of an answer of the processor (text in, text out). */
  tamper(field: 'key' | 'amount' | 'currency', answer: string): string;
  /** Pays the code of this address as a payer would; absent when codes are not issued. */
  payCode?(url: string): Promise<unknown>;
  /** Everything the adapter has logged. */
  logged(): string;
  close(): Promise<void>;
}

/** Longer than a busy machine takes to answer. Only an answer that never comes is awaited for so long. */
export const TIMEOUT_MS = 30_000;
export const SHORT_TIMEOUT_MS = 500;

/** Makes requests as the core does, each under a new key. */
function makeRequests(
  { cards, currency, acquirer, credentials, unknownReferences = {} }: ProcessorHarness,
  { processor, referencesOf }: CoreAdapter,
) {
  const sentRequests = new Map<string, AuthorizeRequest>();
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
      sentRequests.set(request.key, request);
      return request;
    },
    followUp: (original: string, amountMinor: number): FollowUpRequest => ({
      ...base,
      key: newKey(),
      original,
      originalReferences: referencesOf(original) ?? unknownReferences,
      originalAmountMinor: amountMinor,
      order,
      amountMinor,
    }),
    reverse: ({ key, amountMinor }: { key: string; amountMinor: number }) => ({
      key: `${key}-reverse`,
      original: key,
      originalReferences: referencesOf(key) ?? {},
      amountMinor,
      ...base,
    }),
    inquire: (key: string, more: Partial<InquireRequest> = {}): InquireRequest => ({
      ...base,
      key,
      operation: 'authorize',
      amountMinor: 1_000,
      references: {},
      ...(processor.traits.inquiresBySending &&
        sentRequests.has(key) && { sentRequest: sentRequests.get(key) as AuthorizeRequest }),
      ...more,
    }),
  };
}

export interface Suite {
  /** Whether the adapter has the operation. Tests of missing operations are not declared. */
  has(operation: ProcessorOperation): boolean;
  /** The adapter inquires by sending the request again, and gets the first answer again. */
  readonly inquiresBySending: boolean;
  /** Runs an operation. @throws when the adapter does not have it */
  operate(operation: 'capture' | 'cancel' | 'refund', request: FollowUpRequest): Promise<SendResult>;
  readonly harness: ProcessorHarness;
  readonly processor: Processor;
  readonly make: ReturnType<typeof makeRequests>;
  /** Registers a function that runs after the test. */
  afterTest(end: () => Promise<void>): void;
  /** Makes an adapter that talks to a peer of the test. */
  connectTo(peer: Peer, timeoutMs?: number): Processor;
  /** Returns the entries of the processor's books under a key. */
  entriesOf(key: string): Promise<readonly LedgerEntry[]>;
  approvedEntriesOf(key: string): Promise<readonly LedgerEntry[]>;
  /** Returns the fields of an authorization that is declined. */
  declinedCard(): Pick<AuthorizeRequest, 'credential'>;
  /** Makes an approved authorization without a capture. */
  authorizeOnly(amountMinor?: number): Promise<AuthorizeRequest>;
  /** Makes an approved purchase. */
  purchase(amountMinor?: number): Promise<AuthorizeRequest>;
}

/** Declares tests only when the condition is true, for operations that not every adapter has. */
export function describeIf(condition: boolean, name: string, body: () => void): void {
  if (condition) describe(name, body);
}

export function itIf(condition: boolean, name: string, body: () => Promise<void>): void {
  if (condition) it(name, body);
}

/** Starts the harness around the tests of the `describe` in which it is called; its members can be used only inside tests. */
export function openSuite(code: ProcessorCode, makeHarness: () => Promise<ProcessorHarness>): Suite {
  let harness: ProcessorHarness;
  let processor: Processor;
  let make: ReturnType<typeof makeRequests>;
  const cleanups: (() => Promise<void>)[] = [];

  beforeAll(async () => {
    harness = await makeHarness();
    const core = wrapAsCore(checkAnswers(harness.connect(harness.address, TIMEOUT_MS), keepingLog()), harness);
    processor = core.processor;
    make = makeRequests(harness, core);
  });
  afterEach(async () => {
    for (const end of cleanups.splice(0)) await end();
  });
  afterAll(async () => {
    await processor?.close();
    await harness?.close();
  });

  const entriesOf = async (key: string) => (await harness.books()).filter((entry) => entry.key === key);

  async function authorizeApproved(request: AuthorizeRequest): Promise<AuthorizeRequest> {
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
    afterTest: (end) => void cleanups.push(end),
    connectTo(peer, timeoutMs = TIMEOUT_MS) {
      const adapter = checkAnswers(harness.connect(peer.url, timeoutMs), keepingLog());
      cleanups.push(
        () => adapter.close(),
        () => peer.close(),
      );
      return adapter;
    },
    has: (operation) => canDo(code, operation),
    inquiresBySending: 'inquiresBySending' in capabilityTable[code],
    async operate(operation, request) {
      const send = processor[operation];
      if (!send) throw new Error(`the adapter has no ${operation}`);
      return send(request);
    },
    entriesOf,
    approvedEntriesOf: async (key) => (await entriesOf(key)).filter(({ result }) => result === 'approved'),
    declinedCard: () => ({ credential: { source: 'card', card: harness.cards.declined } }),
    authorizeOnly: (amountMinor = 1_000) => authorizeApproved(make.authorize({ capture: false, amountMinor })),
    purchase: (amountMinor = 1_000) => authorizeApproved(make.authorize({ amountMinor })),
  };
}
