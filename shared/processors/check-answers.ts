/**
 * The only place that decides whether an answer fits its request, for all adapters: an answer about another key, amount or
 * currency, or with an impossible partial approval, is no outcome. An adapter only returns what the answer repeats (`about`). Card
 * numbers in messages are masked here too.
 */
import { defined } from '../domain/defined.js';
import type { Log } from '../log.js';
import type { Approved, Definitive, InquireResult, Pending, SendResult } from './answers.js';
import { maskMessages } from './mask-messages.js';
import type { AnswerSubject, InquireRequest, Processor, ReverseRequest } from './processor.js';
import type { OutcomeUpdate } from './updates.js';

interface Sent {
  readonly key: string;
  readonly amountMinor: number;
  readonly currency: string;
}

const compared = { key: 'key', amountMinor: 'amount', currency: 'currency' } as const;

/** Returns how the subject of an answer or an update differs from what was sent; `undefined` when all that it repeats fits. */
export function aboutProblem(about: AnswerSubject | undefined, sent: Sent): string | undefined {
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

/** Returns why an answer, or the outcome of an update, does not fit what was sent; `undefined` when it fits. */
export function answerProblem(answer: Answer, sent: Sent, part: Part): string | undefined {
  const about = 'about' in answer ? answer.about : undefined;
  return aboutProblem(about, sent) ?? (answer.kind === 'approved' ? partProblem(answer, sent, part) : undefined);
}

/** Removes `approvedMinor` when it is the whole amount sent. The reader of an update sets it without knowing that amount. */
export function withoutWhole(outcome: Definitive | Pending, { amountMinor }: Sent): Definitive | Pending {
  if (outcome.kind !== 'approved' || outcome.approvedMinor !== amountMinor) return outcome;
  const { approvedMinor: _whole, ...plain } = outcome;
  return plain;
}

/** Moves the amount that an update repeats to `approvedMinor`, if the update may be a partial approval. */
export function withPart({ outcome, mayBePart }: OutcomeUpdate): Definitive | Pending {
  const { amountMinor: approvedMinor, ...about } = outcome.about ?? {};
  const isPart = mayBePart === true && outcome.kind === 'approved' && approvedMinor !== undefined;
  return isPart ? { ...outcome, about, approvedMinor } : outcome;
}

/** What an adapter may leave out. The compiler finds one that the wrapper would lose. */
type OptionalMember = { [K in keyof Processor]-?: undefined extends Processor[K] ? K : never }[keyof Processor];

/** Wraps an adapter so that each of its answers is checked. The result has exactly the methods of the adapter. */
export function checkAnswers(processor: Processor, log: Pick<Log, 'warn'>): Processor {
  const { code, traits, merchantCredentials, merchantCredentialsOptional, accountCredential } = processor;

  function doesNotFit(txId: string, reason: string): string {
    log.warn('processor.answer-mismatched', { txId, code, reason });
    return reason;
  }

  function sending<R extends Sent, A extends Answer>(send: (request: R) => Promise<A>, part: Part = 'whole') {
    return async (request: R) => {
      const answer = maskMessages(await send.call(processor, request));
      const problem = answerProblem(answer, request, part);
      if (problem === undefined) return answer;
      return { kind: 'unknown', internal: doesNotFit(request.key, problem) } as const;
    };
  }

  function asking<R extends Sent, A extends { readonly kind: string }>(
    ask: (request: R) => Promise<A>,
    part: Part = 'whole',
  ) {
    return async (request: R) => {
      const answer = maskMessages(await ask.call(processor, request));
      const said =
        (answer as unknown as InquireResult).kind === 'found' && 'outcome' in answer ? answer.outcome : answer;
      const problem = answerProblem(said as Answer, request, part);
      if (problem === undefined) return answer;
      return { kind: 'no-answer', internal: doesNotFit(request.key, problem) } as const;
    };
  }

  const inquire = (part: Part) => asking<InquireRequest, InquireResult>(processor.inquire, part);
  const [inquirePart, inquireWhole] = [inquire('may-be-partial'), inquire('whole')];
  /** Only these operations can be approved in part: an inquiry that reports it for another operation is not accepted. */
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
    } satisfies Record<OptionalMember, unknown>),
    close: () => processor.close(),
  };
}
