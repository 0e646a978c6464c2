/**
 * The adapter to the test processor, and the model for other adapters: it sends requests, converts answers to those of the port,
 * and reports anything but a fitting answer as `not-sent` or `unknown` (docs/reliability.md).
 */
import { limits } from '../../../config/limits.js';
import type { Log } from '../../log.js';
import { createHttpExchange, type Exchange, type HttpExchange } from '../http-exchange.js';
import type {
  AuthorizeRequest,
  CodeResult,
  FollowUpRequest,
  LedgerEntry,
  NotSent,
  ProbeResult,
  Processor,
  ProcessorOperations,
  ProcessorTraits,
  ReverseResult,
  SendResult,
  Unknown,
} from '../processor.js';
import { readAnswer, readCode, readLedger, readNotFound, readReversalAnswer, readTransfers } from './answer.schema.js';
import { aboutOf, toOutcome } from './to-outcome.js';
import {
  CONNECTION_REFUSED,
  type OperationPath,
  type Personality,
  SIMULATED_HEADER,
  type WireAnswer,
  type WireOperation,
} from './wire.js';

export interface SandboxOptions {
  /** Address of the test processor, without the personality's prefix. */
  readonly baseUrl: string;
  readonly personality: Personality;
  readonly timeoutMs: number;
  readonly log: Log;
}

const codes = {
  idempotent: 'sandbox',
  forgetful: 'sandbox-forgetful',
  lagging: 'sandbox-lagging',
} as const satisfies Record<Personality, string>;

const traits = {
  idempotent: { dedupes: true, tombstones: true, refundNeedsPan: false },
  forgetful: { dedupes: false, tombstones: false, refundNeedsPan: false },
  lagging: { dedupes: false, tombstones: true, refundNeedsPan: false },
} as const satisfies Record<Personality, ProcessorTraits>;

/** All operations of the port except a separate verification. */
export type SandboxProcessor = Processor & Required<Omit<ProcessorOperations, 'verify'>>;

type Failure = NotSent | Unknown;
type Answered = { readonly kind: 'answered'; readonly json: unknown };

const STATUS_OK = 200;

/** Returns the answer of an exchange: only a 200 with a body is one. */
function settle(exchange: Exchange): Answered | Failure {
  if (exchange.kind !== 'answered') return exchange;
  // The only rule just for the sandbox: a server cannot refuse a connection for one card, so the test processor reports a refused one.
  if (exchange.headers[SIMULATED_HEADER] === CONNECTION_REFUSED) {
    return { kind: 'not-sent', internal: 'no connection: simulated' };
  }
  if (exchange.status === STATUS_OK) return { kind: 'answered', json: exchange.json };
  return { kind: 'unknown', internal: `status ${exchange.status}` };
}

/** Converts an outcome to the result of a request for a code: only a decline or failure is an answer to it. */
const toRefusal = (outcome: ReturnType<typeof toOutcome>): CodeResult =>
  outcome.kind === 'declined' || outcome.kind === 'failed'
    ? outcome
    : { kind: 'unknown', internal: `a code is not ${outcome.kind}` };

const noAnswer = (internal: string) => ({ kind: 'no-answer', internal }) as const;

/** Checks the connection by an inquiry about an operation that does not exist. */
async function probe(http: HttpExchange): Promise<ProbeResult> {
  const exchange = settle(await http.exchange({ method: 'GET', path: '/operations/probe' }));
  if (exchange.kind !== 'answered') return { kind: 'unreachable', internal: exchange.internal };
  return { kind: 'reachable', detail: 'the test processor answers' };
}

/** Creates a reader that reads the books page by page, because their total length is not known. */
function createLedgerReader(http: HttpExchange): SandboxProcessor['listSince'] {
  async function listPage(time: Record<string, string>, skip: number): Promise<readonly LedgerEntry[]> {
    const query = new URLSearchParams({ ...time, skip: String(skip), take: String(limits.processorListPage) });
    const path = `/ledger?${query}`;
    const exchange = settle(await http.exchange({ method: 'GET', path, bytesMax: limits.processorListBytesMax }));
    if (exchange.kind !== 'answered') throw new Error(`the processor did not list its books: ${exchange.internal}`);
    const page = readLedger(exchange.json);
    if (page === undefined) throw new Error("the processor's list of its books has another shape");
    return page;
  }

  return async (at, until) => {
    const time = { since: at.toISOString(), ...(until && { until: until.toISOString() }) };
    const entries: LedgerEntry[] = [];
    for (;;) {
      const page = await listPage(time, entries.length);
      entries.push(...page);
      if (page.length < limits.processorListPage) return entries;
    }
  };
}

export function createSandboxProcessor({ baseUrl, personality, timeoutMs, log }: SandboxOptions): SandboxProcessor {
  const code = codes[personality];
  const http = createHttpExchange({ baseUrl: `${baseUrl}/${personality}`, timeoutMs });

  function doesNotFit(key: string, reason: string): Unknown {
    log.warn('processor.answer-mismatched', { txId: key, code, reason });
    return { kind: 'unknown', internal: reason };
  }

  async function post(path: OperationPath, body: WireOperation, traceId: string): Promise<Answered | Failure> {
    return settle(await http.exchange({ method: 'POST', path: `/${path}`, body, headers: { 'x-trace-id': traceId } }));
  }

  async function operate(path: OperationPath, request: AuthorizeRequest | FollowUpRequest): Promise<SendResult> {
    const { traceId, ...body } = request;
    const exchange = await post(path, body, traceId);
    if (exchange.kind !== 'answered') return exchange;
    const answer = readAnswer(exchange.json);
    return answer === undefined ? doesNotFit(request.key, 'the answer has another shape') : toOutcome(answer);
  }

  /** Sends a follow-up without the card, which is not needed again. */
  function followUp(path: OperationPath, { card: _card, ...request }: FollowUpRequest): Promise<SendResult> {
    return operate(path, request);
  }

  return {
    code,
    traits: traits[personality],
    authorize: (request) => operate('authorizations', request),
    capture: (request) => followUp('captures', request),
    cancel: (request) => followUp('cancellations', request),
    refund: (request) => followUp('refunds', request),

    async inquire({ key, traceId }) {
      const path = `/operations/${encodeURIComponent(key)}`;
      const exchange = settle(await http.exchange({ method: 'GET', path, headers: { 'x-trace-id': traceId } }));
      if (exchange.kind !== 'answered') return noAnswer(exchange.internal);
      const answer = readNotFound(exchange.json) ?? readAnswer(exchange.json);
      if (answer === undefined) return noAnswer(doesNotFit(key, 'the answer has another shape').internal);
      if (answer.result !== 'not-found') return { kind: 'found', outcome: toOutcome(answer) };
      // "Not found" about another key must not end this operation.
      return answer.key === key ? { kind: 'not-found' } : noAnswer('the answer has another key');
    },

    async issueCode({ traceId, expiresAt, ...request }) {
      const body = { ...request, expiresAt: expiresAt.toISOString() };
      const exchange = await post('codes', body, traceId);
      if (exchange.kind !== 'answered') return exchange;
      const issued = readCode(exchange.json);
      const answer = issued ?? readAnswer(exchange.json);
      if (answer === undefined) return doesNotFit(request.key, 'the answer has another shape');
      if (issued === undefined) return toRefusal(toOutcome(answer as WireAnswer));
      const { scheme, account: number, reference, ticket } = issued;
      const account = { scheme, account: number, reference };
      return { kind: 'issued', about: aboutOf(issued), account, url: `${baseUrl}/bank/${reference}`, ticket };
    },

    async findTransfers({ key, traceId }) {
      const path = `/transfers/${encodeURIComponent(key)}`;
      const exchange = settle(await http.exchange({ method: 'GET', path, headers: { 'x-trace-id': traceId } }));
      if (exchange.kind !== 'answered') return noAnswer(exchange.internal);
      const answer = readNotFound(exchange.json) ?? readTransfers(exchange.json);
      if (answer === undefined) return noAnswer(doesNotFit(key, 'the answer has another shape').internal);
      if (answer.key !== key) return noAnswer('the answer has another key');
      if (answer.result === 'not-found') return { kind: 'not-found' };
      const { transfers, rejected } = answer;
      const dated = transfers.map((transfer) => ({ ...transfer, paidAt: new Date(transfer.paidAt) }));
      return { kind: 'found', transfers: dated, ...(rejected && { rejected }) };
    },

    async reverse({ traceId, ...body }): Promise<ReverseResult> {
      const exchange = await post('reversals', body, traceId);
      if (exchange.kind !== 'answered') return noAnswer(exchange.internal);
      const answer = readReversalAnswer(exchange.json);
      if (answer === undefined) return noAnswer(doesNotFit(body.key, 'the answer has another shape').internal);
      if (answer.original !== body.original) return noAnswer('the answer has another original');
      if (answer.result === 'refused') return noAnswer('the processor refuses to reverse it');
      // An answer about another key says nothing about this one.
      if (answer.key !== body.key) return noAnswer('the answer has another key');
      if (answer.result === 'not-found') return { kind: 'nothing-found' };
      return {
        kind: 'reversed',
        about: aboutOf(answer),
        ...(answer.ticket !== undefined && { ticket: answer.ticket }),
      };
    },

    listSince: createLedgerReader(http),

    probe: () => probe(http),
    close: () => http.close(),
  };
}
