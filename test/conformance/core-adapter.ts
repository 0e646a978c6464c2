/**
 * Wraps an adapter so that it is used as the core uses it: the wrapper remembers the processor's references of each operation, and waits
 * for the notification when the outcome comes by notification.
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

interface OutcomeNotifications {
  /** Returns the outcome that the processor's notification about a key contains. Present when outcomes come by notification. */
  notifiedOutcome?(key: string): Promise<Definitive>;
}

export interface CoreAdapter {
  readonly processor: Processor;
  /** Returns the processor's references of the operation under a key. */
  referencesOf(key: string): ProcessorReferences | undefined;
}

export function wrapAsCore(adapter: Processor, { notifiedOutcome }: OutcomeNotifications): CoreAdapter {
  const references = new Map<string, ProcessorReferences>();

  function rememberReferences<R extends { readonly key: string }>(send: (request: R) => Promise<SendResult>) {
    return async (request: R): Promise<SendResult> => {
      const result = await send(request);
      if ('processorReference' in result && result.processorReference !== undefined) {
        references.set(request.key, { processorReference: result.processorReference });
      }
      return result.kind === 'pending' && notifiedOutcome ? notifiedOutcome(request.key) : result;
    };
  }

  async function reverse(request: ReverseRequest): Promise<ReverseResult> {
    const answer = await adapter.reverse(request);
    if (answer.kind !== 'no-answer' || !notifiedOutcome) return answer;
    const { kind } = await notifiedOutcome(request.key);
    return { kind: kind === 'approved' ? 'reversed' : 'nothing-found' };
  }

  const { capture, cancel, refund, verify } = adapter;
  const wrapFollowUp = (send: ((request: FollowUpRequest) => Promise<SendResult>) | undefined) =>
    send && rememberReferences(send);
  const [coreCapture, coreCancel, coreRefund] = [wrapFollowUp(capture), wrapFollowUp(cancel), wrapFollowUp(refund)];
  return {
    processor: {
      ...adapter,
      authorize: rememberReferences(adapter.authorize),
      reverse,
      ...(verify && { verify: rememberReferences(verify) }),
      ...(coreCapture && { capture: coreCapture }),
      ...(coreCancel && { cancel: coreCancel }),
      ...(coreRefund && { refund: coreRefund }),
    },
    referencesOf: (key) => references.get(key),
  };
}
