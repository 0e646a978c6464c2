import { refuseUnableOperation } from '../../api/payments/operate-payment.js';
import type { PaymentDraft } from '../../api/payments/payment-draft.js';
import { refuseUnableHold } from '../../api/payments/route-payment.js';
import type { ProcessorOperation } from '../../shared/processors/capabilities-of.js';

const without = (operation: ProcessorOperation) => (_code: string, asked: ProcessorOperation) => asked === operation;
const draft = (more: Partial<PaymentDraft>) => ({ purpose: 'payment', ...more }) as PaymentDraft;

test.each([
  ['capture', 'capture'],
  ['cancellation', 'cancel'],
  ['refund', 'refund'],
] as const)('a %s is refused when the processor has no %s', (kind, operation) => {
  expect(() => refuseUnableOperation(kind, 'acme', without(operation))).toThrow(
    expect.objectContaining({
      code: 'conflict',
      publicMessage: `The processor of this payment cannot ${operation} it.`,
    }),
  );
  expect(refuseUnableOperation(kind, 'acme', without('verify'))).toBeUndefined();
  expect(refuseUnableOperation(kind, 'sandbox')).toBeUndefined();
});

test.each([
  ['by hand', { method: 'manual' }],
  ['after a delay', { method: 'automatic', delay: 60 }],
] as const)('a capture %s needs a processor that captures and cancels', (_when, capture) => {
  for (const operation of ['capture', 'cancel'] as const) {
    const params = { 'capture.method': [expect.stringContaining('captures at once')] };
    expect(() => refuseUnableHold(draft({ capture }), 'acme', without(operation))).toThrow(
      expect.objectContaining({ code: 'request-validation-errors', params }),
    );
  }
  expect(refuseUnableHold(draft({ capture }), 'sandbox')).toBeUndefined();
  expect(refuseUnableHold(draft({}), 'acme', without('capture'))).toBeUndefined();
});

test('a verification needs a processor that releases its hold', () => {
  expect(() => refuseUnableHold(draft({ purpose: 'verification' }), 'acme', without('cancel'))).toThrow(
    expect.objectContaining({ code: 'invalid-card-payment-method' }),
  );
  expect(refuseUnableHold(draft({ purpose: 'verification' }), 'sandbox')).toBeUndefined();
});
