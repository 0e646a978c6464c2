/**
 * The one place that judges whether an answer is about what was sent, for all adapters: an answer about another key, amount or
 * currency, or a partial approval that cannot be one, is no outcome. An adapter only says what the answer repeats (`about`).
 */
import { defined } from '../domain/defined.js';
import type { Log } from '../log.js';
import type { Approved, Definitive, InquireResult, Pending, SendResult } from './answers.js';
import type { AnswerSubject, InquireRequest, Processor, ReverseRequest } from './processor.js';
import type { OutcomeUpdate } from './updates.js';

interface Sent {
  readonly key: string;
  readonly amountMinor: number;
  readonly currency: string;
}

const compared = { key: 'key', amountMinor: 'amount', currency: 'currency' } as const;

/** `undefined`: it fits, as far as the answer says. */
function mismatch(about: AnswerSubject | undefined, sent: Sent): string | undefined {
  const names = Object.keys(compared) as (keyof typeof compared)[];
  const other = names.find((name) => about?.[name] !== undefined && about[name] !== sent[name]);
  return other && `the answer has another ${compared[other]}`;
}

type Part = 'may-be-partial' | 'whole';

function partProblem({ approvedMinor }: Approved, sent: Sent, part: Part): string | undefined {
  if (approvedMinor === undefined) return undefined;
  const possible = Number.isSafeInteger(approvedMinor) && approvedMinor > 0 && approvedMinor < sent.amountMinor;
  return possible && part === 'may-be-partial' ? undefined : 'the answer approves an amount that was not asked for';
}

type Answer = SendResult | { readonly kind: 'issued' | 'reversed' | 'found'; readonly about?: AnswerSubject };

function problemOf(answer: Answer, sent: Sent, part: Part): string | undefined {
  const about = 'about' in answer ? answer.about : undefined;
  return mismatch(about, sent) ?? (answer.kind === 'approved' ? partProblem(answer, sent, part) : undefined);
}

/** An approved part that is all that was sent is no part: of an update, whose reader does not know what was sent. */
export function withoutWhole(outcome: Definitive | Pending, { amountMinor }: Sent): Definitive | Pending {
  if (outcome.kind !== 'approved' || outcome.approvedMinor !== amountMinor) return outcome;
  const { approvedMinor: _whole, ...plain } = outcome;
  return plain;
}

/** The amount that an update repeats, as the part that was approved. */
export function withPart({ outcome, mayBePart }: OutcomeUpdate): Definitive | Pending {
  const { amountMinor: approvedMinor, ...about } = outcome.about ?? {};
  const isPart = mayBePart === true && outcome.kind === 'approved' && approvedMinor !== undefined;
  return isPart ? { ...outcome, about, approvedMinor } : outcome;
}

/** The same for an outcome that an update brings; `undefined`: it fits. */
export const outcomeProblem = (outcome: Definitive | Pending, sent: Sent, part: Part): string | undefined =>
  problemOf(outcome, sent, part);

/** The same for what an update repeats of a refund. */
export const aboutProblem = mismatch;

/** The adapter with every answer of it checked. It has the methods that the adapter has, and no others. */
export function checkAnswers(processor: Processor, log: Pick<Log, 'warn'>): Processor {
  const { code, traits, merchantCredentials, merchantCredentialsOptional, accountCredential } = processor;

  function doesNotFit(txId: string, reason: string): string {
    log.warn('processor.answer-mismatched', { txId, code, reason });
    return reason;
  }

  function sending<R extends Sent, A extends Answer>(send: (request: R) => Promise<A>, part: Part = 'whole') {
    return async (request: R) => {
      const answer = await send.call(processor, request);
      const problem = problemOf(answer, request, part);
      if (problem === undefined) return answer;
      return { kind: 'unknown', internal: doesNotFit(request.key, problem) } as const;
    };
  }

  function asking<R extends Sent, A extends { readonly kind: string }>(
    ask: (request: R) => Promise<A>,
    part: Part = 'whole',
  ) {
    return async (request: R) => {
      const answer = await ask.call(processor, request);
      const said =
        (answer as unknown as InquireResult).kind === 'found' && 'outcome' in answer ? answer.outcome : answer;
      const problem = problemOf(said as Answer, request, part);
      if (problem === undefined) return answer;
      return { kind: 'no-answer', internal: doesNotFit(request.key, problem) } as const;
    };
  }

  const inquire = (part: Part) => asking<InquireRequest, InquireResult>(processor.inquire, part);
  const [inquirePart, inquireWhole] = [inquire('may-be-partial'), inquire('whole')];
  /** Only these are approved in part: an inquiry about another operation that says so is not believed. */
  const mayBePartial = ({ operation }: InquireRequest) => operation === 'authorize' || operation === 'verify';

  const { capture, cancel, refund, verify, issueCode, findTransfers, listSince, probe, lines } = processor;
  return {
    code,
    traits,
    authorize: sending(processor.authorize, 'may-be-partial'),
    inquire: (request) => (mayBePartial(request) ? inquirePart(request) : inquireWhole(request)),
    reverse: asking<ReverseRequest, Awaited<ReturnType<Processor['reverse']>>>(processor.reverse),
    ...defined({
      merchantCredentials,
      merchantCredentialsOptional,
      accountCredential,
      capture: capture && sending(capture),
      cancel: cancel && sending(cancel),
      refund: refund && sending(refund),
      verify: verify && sending(verify, 'may-be-partial'),
      issueCode: issueCode && sending(issueCode),
      findTransfers: findTransfers && asking(findTransfers),
      listSince: listSince && ((at: Date, until?: Date) => listSince.call(processor, at, until)),
      probe: probe && (() => probe.call(processor)),
      lines: lines && (() => lines.call(processor)),
    }),
    close: () => processor.close(),
  };
}
