/** A processor in memory that says what a test scripts, and remembers what it was asked. */
import type {
  Approved,
  AuthorizeRequest,
  Declined,
  FollowUpRequest,
  InquireResult,
  Processor,
  ProcessorTraits,
  ReverseRequest,
  ReverseResult,
  SendResult,
} from '../../../shared/processors/processor.js';

export const approved: Approved = {
  kind: 'approved',
  resultCode: '00',
  resultMessage: 'Approved',
  authorization: 'A1',
  ticket: 'T1',
};
export const declined: Declined = {
  kind: 'declined',
  error: 'declined-by-acquirer',
  resultCode: '51',
  resultMessage: 'Insufficient funds',
  declineCode: 'insufficient_funds',
};
export const notSent: SendResult = { kind: 'not-sent', internal: 'no connection' };
export const unknown: SendResult = { kind: 'unknown', internal: 'time-out' };
export const notFound: InquireResult = { kind: 'not-found' };
export const noAnswer = { kind: 'no-answer', internal: 'time-out' } as const;
export const found = (outcome: Extract<InquireResult, { kind: 'found' }>['outcome']): InquireResult => ({
  kind: 'found',
  outcome,
});

type Send = 'authorize' | 'capture' | 'cancel' | 'refund';

interface Script {
  readonly send?: readonly (SendResult | (() => SendResult | Promise<SendResult>))[];
  readonly inquire?: readonly InquireResult[];
  readonly reverse?: readonly ReverseResult[];
}

export interface FakeProcessor extends Processor {
  /** `authorize txn_…`, `inquire txn_…`, …, in the order of the calls. */
  readonly calls: readonly string[];
  readonly requests: readonly (AuthorizeRequest | FollowUpRequest)[];
  readonly reversals: readonly ReverseRequest[];
}

/** Answers come in the order of the script; the last one of a list repeats. Without a list everything is approved. */
export function fakeProcessor(script: Script = {}, traits: Partial<ProcessorTraits> = {}): FakeProcessor {
  const calls: string[] = [];
  const requests: (AuthorizeRequest | FollowUpRequest)[] = [];
  const reversals: ReverseRequest[] = [];
  const used = { send: 0, inquire: 0, reverse: 0 };
  const next = <T>(list: readonly T[] | undefined, kind: keyof typeof used, fallback: T): T => {
    const answer = list?.[Math.min(used[kind], list.length - 1)];
    used[kind] += 1;
    return answer ?? fallback;
  };
  const send = (operation: Send) => async (request: AuthorizeRequest | FollowUpRequest) => {
    calls.push(`${operation} ${request.key}`);
    requests.push(request);
    const answer = next(script.send, 'send', approved);
    return typeof answer === 'function' ? answer() : answer;
  };
  return {
    code: 'fake',
    traits: { dedupes: false, tombstones: false, refundNeedsPan: false, ...traits },
    calls,
    requests,
    reversals,
    authorize: send('authorize'),
    capture: send('capture'),
    cancel: send('cancel'),
    refund: send('refund'),
    inquire: async ({ key, restored }) => {
      calls.push(restored ? `inquire ${key}, restored` : `inquire ${key}`);
      return next(script.inquire, 'inquire', notFound);
    },
    reverse: async (request) => {
      calls.push(`reverse ${request.original}`);
      reversals.push(request);
      return next(script.reverse, 'reverse', { kind: 'reversed', ticket: 'T-reverse' });
    },
    close: async () => undefined,
  };
}
