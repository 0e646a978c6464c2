/** What a processor cannot do is refused before anything is stored. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { CallerOperation } from '../../shared/domain/payment/plan-operation.js';
import { lacks } from '../../shared/processors/capabilities.js';
import type { ProcessorOperation } from '../../shared/processors/capabilities-of.js';
import type { PaymentDraft } from './payment-draft.js';

const operationOf = { capture: 'capture', cancellation: 'cancel', refund: 'refund' } as const satisfies Record<
  CallerOperation,
  ProcessorOperation
>;

/** @throws {GatewayError} `conflict` when the processor of the payment has no such operation. */
export function refuseUnableOperation(kind: CallerOperation, processor: string, without = lacks): void {
  if (!without(processor, operationOf[kind])) return;
  throw new GatewayError('conflict', { message: `The processor of this payment cannot ${operationOf[kind]} it.` });
}

/** What the processor of a payment has to be able to do beside the authorization: a hold is captured or released. */
const neededFor = ({ purpose, capture }: Pick<PaymentDraft, 'purpose' | 'capture'>): readonly ProcessorOperation[] => {
  if (purpose === 'verification') return ['cancel'];
  return capture?.method === 'manual' || capture?.delay ? ['capture', 'cancel'] : [];
};

/** The operation that the processor is known to lack for this payment. */
export const lackedFor = (
  draft: Pick<PaymentDraft, 'purpose' | 'capture'>,
  processor: string,
  without = lacks,
): ProcessorOperation | undefined => neededFor(draft).find((operation) => without(processor, operation));

/**
 * A hold that can be neither captured nor released is not made.
 * @throws {GatewayError} `invalid-card-payment-method` for a verification, `request-validation-errors` naming `capture` for
 * a payment that is to be captured later
 */
export function refuseUnableHold(
  draft: Pick<PaymentDraft, 'purpose' | 'capture'>,
  processor: string,
  without = lacks,
): void {
  if (lackedFor(draft, processor, without) === undefined) return;
  if (draft.purpose === 'verification') {
    const message = 'The processor of this payment method cannot verify cards.';
    throw new GatewayError('invalid-card-payment-method', { message });
  }
  const problem = 'must be automatic, without delay: the processor of this payment method captures at once';
  throw new GatewayError('request-validation-errors', { params: { 'capture.method': [problem] } });
}
