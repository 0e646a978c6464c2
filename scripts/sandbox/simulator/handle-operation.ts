/** Operations over HTTP: reads the request, draws a fault, performs it, waits for the disk, answers as card and fault demand. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  OperationPath,
  Personality,
  WireAnswer,
  WireCode,
  WireNotFound,
  WireReversalAnswer,
  WireTransfers,
} from '../../../shared/processors/sandbox/wire.js';
import type { Bank, OperationResult } from './bank.js';
import { waits } from './behaviours.js';
import type { Codes } from './codes.js';
import type { FollowUpKind } from './decide-follow-up.js';
import { type Fault, noFault } from './faults.js';
import type { LedgerFile } from './ledger-file.js';
import { isAuthorization, isCodeRequest, isFollowUp, isKey, readJson } from './read-request.js';
import { sendConnectionRefused, sendEmpty500, sendJson, sendJsonTwice } from './send-answer.js';
import type { Switches } from './switches.js';

export interface OperationDeps {
  readonly bank: Bank;
  readonly codes: Codes;
  readonly ledger: LedgerFile;
  readonly switches: Switches;
  readonly scaled: (ms: number) => number;
}

interface Outcome {
  readonly answer?: WireAnswer | WireReversalAnswer | WireCode;
  readonly reply?: OperationResult['reply'];
}

type Perform = (deps: OperationDeps, personality: Personality, body: unknown) => Outcome | undefined;

const followUp =
  (kind: FollowUpKind): Perform =>
  ({ bank }, personality, body) =>
    isFollowUp(body) ? bank.followUp(personality, kind, body) : undefined;

/** Performs each kind of operation. `undefined`: the body is not a request of this kind. */
const performers = {
  authorizations: ({ bank }, personality, body) =>
    isAuthorization(body) ? bank.authorize(personality, body) : undefined,
  captures: followUp('capture'),
  cancellations: followUp('cancellation'),
  refunds: followUp('refund'),
  reversals: ({ bank }, personality, body) =>
    isFollowUp(body) ? { answer: bank.reverse(personality, body) } : undefined,
  codes: ({ codes }, personality, body) => (isCodeRequest(body) ? codes.issue(personality, body) : undefined),
} as const satisfies Record<OperationPath, Perform>;

type Send = (response: ServerResponse, answer: Outcome['answer']) => void;

const sendOnce: Send = (response, answer) => {
  if (answer === undefined) sendJson(response, 409, { error: 'the key belongs to another request' });
  else sendJson(response, 200, answer);
};
/** The socket stays open until the other side gives up. */
const sendNothing: Send = () => undefined;

const byReply = {
  late: sendOnce,
  never: sendNothing,
  refused: sendConnectionRefused,
  twice: sendJsonTwice,
} as const satisfies Record<NonNullable<OperationResult['reply']>, Send>;

const byFault = {
  none: sendOnce,
  late: sendOnce,
  timeout: sendNothing,
  error500: sendEmpty500,
  duplicate: sendJsonTwice,
} as const satisfies Record<Fault['kind'], Send>;

function chooseSend({ reply, answer }: Outcome, fault: Fault): Send {
  if (reply !== undefined) return byReply[reply];
  return answer === undefined ? sendOnce : byFault[fault.kind];
}

export async function handleOperation(
  deps: OperationDeps,
  personality: Personality,
  path: OperationPath,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { ledger, switches, scaled } = deps;
  const body = await readJson(request);
  const key = (body as { key?: unknown } | undefined)?.key;
  const fault = isKey(key) ? (switches.faultsOf(personality)?.draw(path, key) ?? noFault) : noFault;
  if (!fault.effect) return byFault[fault.kind](response, undefined);

  const perform: Perform = performers[path];
  const outcome = perform(deps, personality, body);
  if (outcome === undefined) return sendJson(response, 400, { error: 'not a request of this kind' });
  const slowMs = switches.slowMsOf(personality);
  const waitMs = slowMs + fault.delayMs + (outcome.reply === 'late' ? scaled(waits.lateAnswerMs) : 0);
  await (waitMs > 0 ? Promise.all([ledger.flushed(), sleep(waitMs)]) : ledger.flushed());
  chooseSend(outcome, fault)(response, outcome.answer);
}

/** `GET /<personality>/transfers/<key>`: answers with the state of a code. */
export async function handleTransfers(
  { codes, ledger, switches }: OperationDeps,
  personality: Personality,
  key: string,
  response: ServerResponse,
): Promise<void> {
  if (switches.faultsOf(personality)?.draw('inquiry', key).kind === 'error500') return sendEmpty500(response);
  const found: WireTransfers | undefined = codes.transfersOf(personality, key);
  await ledger.flushed();
  sendJson(response, 200, found ?? ({ key, result: 'not-found' } satisfies WireNotFound));
}

/** `GET /<personality>/operations/<key>` */
export async function handleInquiry(
  { bank, ledger, switches }: OperationDeps,
  personality: Personality,
  key: string,
  response: ServerResponse,
): Promise<void> {
  const faults = switches.faultsOf(personality);
  if (faults?.draw('inquiry', key).kind === 'error500') return sendEmpty500(response);
  const answer = bank.inquire(personality, key, faults?.inquiryLagMs ?? 0);
  await ledger.flushed();
  sendJson(response, 200, answer ?? ({ key, result: 'not-found' } satisfies WireNotFound));
}
