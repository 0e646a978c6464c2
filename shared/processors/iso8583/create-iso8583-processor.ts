/** The adapter to acquirers that speak ISO 8583 (docs/iso8583.md). */
import { iso8583Limits } from '../../../config/iso8583-limits.js';
import { type Clock, systemClock } from '../../clock.js';
import { after } from '../../domain/time.js';
import type { Log } from '../../log.js';
import type { Database } from '../../store/database.js';
import type { IsoExchange } from '../../store/iso8583-exchange.model.js';
import { createIsoExchangeRepository } from '../../store/iso8583-exchange.repository.js';
import { createIsoStans } from '../../store/iso8583-stan.repository.js';
import { type LineEvent, lineEvents } from '../line-report.js';
import type {
  FollowUpRequest,
  InquireResult,
  Processor,
  ProcessorTraits,
  ReverseRequest,
  ReverseResult,
  SendResult,
} from '../processor.js';
import type { IsoContext } from './adapter/context.js';
import { inquireOperation } from './adapter/inquire-operation.js';
import { noOriginal, reversedOutcome } from './adapter/outcomes.js';
import { readAuthorization, readFollowUp } from './adapter/read-request.js';
import { nothingHeld, sendOperation } from './adapter/send-operation.js';
import type { IsoDialect } from './adapter/settings.js';
import { sendReversal } from './adapter/take-back.js';
import type { IsoHooks } from './line/hooks.js';
import type { LineOptions } from './line/line.js';
import { createLines } from './line/lines.js';
import { probeLine } from './line/probe-line.js';
import type { Address } from './line/socket.js';

const ISO8583 = 'iso8583';

export interface Iso8583Options extends IsoDialect {
  readonly address: Address;
  readonly connections: number;
  readonly echoMs: number;
  readonly logMessages: boolean;
  readonly timeoutMs: number;
  readonly hooks?: IsoHooks;
  readonly database: Database;
  readonly log: Log;
  readonly clock?: Clock;
}

/** The journal adds what the protocol lacks: a key has only one effect, and a reversed key stays reversed. */
const traits: ProcessorTraits = {
  dedupes: true,
  tombstones: true,
  refundNeedsPan: false,
  outcomesKeptHere: true,
  refuses: ['click-to-pay'],
};

function openContext(options: Iso8583Options) {
  const { profile, identity, address, connections, echoMs, logMessages, hooks = {}, database, log } = options;
  const { timeoutMs, clock = systemClock } = options;
  const stans = createIsoStans(database, clock);
  const counts = Object.fromEntries(lineEvents.map((event) => [event, 0])) as Record<LineEvent, number>;
  const line: LineOptions = {
    address,
    profile,
    station: identity,
    hooks,
    echoMs,
    logMessages,
    log,
    count(event) {
      counts[event] += 1;
    },
    next: stans.next,
  };
  const context: IsoContext = {
    dialect: { profile, identity },
    lines: createLines(line, connections),
    journal: createIsoExchangeRepository(database),
    stans,
    timeoutMs,
    clock,
    log,
  };
  return { context, line, counts };
}

/** Stores a tombstone, so that the key is never sent. @returns the exchange that already exists under the key */
function bury(
  context: IsoContext,
  { original, amountMinor, currency }: ReverseRequest,
): Promise<IsoExchange | undefined> {
  const at = context.clock.now();
  const nothing = { terminal: '', merchant: '', mti: '', processingCode: '', retrievalReference: '' };
  return context.journal.begin({
    _id: original,
    kind: 'tombstone',
    state: 'reversed',
    ...nothing,
    trace: { stan: '', at },
    amountMinor,
    currency,
    deadlineAt: at,
    outcome: { ...reversedOutcome },
    expireAt: after(at, iso8583Limits.tombstonesKeptMs),
  });
}

async function reverse(context: IsoContext, request: ReverseRequest): Promise<ReverseResult> {
  const known = (await context.journal.find(request.original)) ?? (await bury(context, request));
  if (!known) return { kind: 'nothing-found' };
  if (known.state === 'reversed') return { kind: known.kind === 'tombstone' ? 'nothing-found' : 'reversed' };
  if (known.state === 'answered' && known.outcome?.kind !== 'approved') return { kind: 'nothing-found' };
  return sendReversal(context, known);
}

async function followUp(
  context: IsoContext,
  kind: 'capture' | 'cancel' | 'refund',
  request: FollowUpRequest,
): Promise<SendResult> {
  const original = await context.journal.find(request.original);
  if (!original || original.kind === 'tombstone') return noOriginal;
  if (kind === 'cancel' && original.kind === 'verification') return nothingHeld;
  return sendOperation(context, readFollowUp(kind, request, original), original);
}

const failing = (error: unknown) => (error instanceof Error ? error.name : 'an error');

/** Creates the adapter, which connects when it is first used. */
export function createIso8583Processor(options: Iso8583Options) {
  const { context, line, counts } = openContext(options);
  const { identity } = options;
  const sending = new Map<string, Promise<SendResult>>();

  /** Joins concurrent calls with the same key in this process to one message with one answer. */
  function once(key: string, send: () => Promise<SendResult>): Promise<SendResult> {
    const running = sending.get(key);
    if (running) return running;
    const started = send().finally(() => sending.delete(key));
    sending.set(key, started);
    return started;
  }

  const follow = (kind: 'capture' | 'cancel' | 'refund') => (request: FollowUpRequest) =>
    once(request.key, () =>
      // The journal could not be read, so nothing was sent.
      followUp(context, kind, request).catch((error) => ({ kind: 'not-sent', internal: failing(error) })),
    );

  return {
    code: ISO8583,
    traits,
    authorize: (request) => once(request.key, () => sendOperation(context, readAuthorization(request, identity))),
    verify: (request) =>
      once(request.key, () => sendOperation(context, readAuthorization({ ...request, verification: true }, identity))),
    capture: follow('capture'),
    cancel: follow('cancel'),
    refund: follow('refund'),
    inquire: ({ key, restored }): Promise<InquireResult> =>
      inquireOperation(context, key, restored).catch((error) => ({ kind: 'no-answer', internal: failing(error) })),
    reverse: (request) => reverse(context, request).catch((error) => ({ kind: 'no-answer', internal: failing(error) })),
    probe: () => probeLine(line),
    async lines() {
      const { connected, wanted, inFlight, waiting } = context.lines;
      const openReversals = await context.journal.countReversing();
      return { connected, wanted, inFlight, waiting, openReversals, counts: { ...counts } };
    },
    close: () => context.lines.close(),
  } satisfies Processor;
}
