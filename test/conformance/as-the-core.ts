/**
 * An adapter used as the core uses it: it remembers what the processor called each operation, and where outcomes come by
 * notification it waits for that.
 */
import type {
  Definitive,
  FollowUpRequest,
  Processor,
  ProcessorReferences,
  ReverseRequest,
  ReverseResult,
  SendResult,
} from '../../shared/processors/processor.js';

interface Notified {
  /** Where outcomes come by notification: what the update of a key says. */
  notified?(key: string): Promise<Definitive>;
}

export interface CoreAdapter {
  readonly processor: Processor;
  /** What the processor called the operation of a key. */
  namesOf(key: string): ProcessorReferences | undefined;
}

export function asTheCore(adapter: Processor, { notified }: Notified): CoreAdapter {
  const names = new Map<string, ProcessorReferences>();

  function sending<R extends { readonly key: string }>(send: (request: R) => Promise<SendResult>) {
    return async (request: R): Promise<SendResult> => {
      const sent = await send(request);
      if ('processorReference' in sent && sent.processorReference !== undefined) {
        names.set(request.key, { processorReference: sent.processorReference });
      }
      return sent.kind === 'pending' && notified ? notified(request.key) : sent;
    };
  }

  async function reverse(request: ReverseRequest): Promise<ReverseResult> {
    const answer = await adapter.reverse(request);
    if (answer.kind !== 'no-answer' || !notified) return answer;
    const { kind } = await notified(request.key);
    return { kind: kind === 'approved' ? 'reversed' : 'nothing-found' };
  }

  const { capture, cancel, refund, verify } = adapter;
  const follow = (send: ((request: FollowUpRequest) => Promise<SendResult>) | undefined) => send && sending(send);
  const [capturing, cancelling, refunding] = [follow(capture), follow(cancel), follow(refund)];
  return {
    processor: {
      ...adapter,
      authorize: sending(adapter.authorize),
      reverse,
      ...(verify && { verify: sending(verify) }),
      ...(capturing && { capture: capturing }),
      ...(cancelling && { cancel: cancelling }),
      ...(refunding && { refund: refunding }),
    },
    namesOf: (key) => names.get(key),
  };
}
