/** Bodies of captures, cancellations and refunds (contract, "Payments"; docs/decisions.md, "refund body"). */
import { limits } from '../../../config/limits.js';
import { body, Joi, metadata, named, nullable, text, withErrorCode } from '../joi.js';
import { referenceText } from './payment-request.schema.js';

export const cancellationReasons = [
  'card-verification',
  'customer-request',
  'duplicate-transaction',
  'fraud-detected',
  'inventory-unavailable',
  'order-cancelled',
  'system-error',
] as const;

export interface OperationBody {
  readonly referenceId: string;
  readonly amount?: string;
  readonly reason?: string;
  readonly description?: string;
  readonly metadata?: Record<string, string>;
}

const amount = () => nullable(withErrorCode('payment-invalid-amount', Joi.decimalText()));

export const captureRequestSchema = named(
  'CaptureRequest',
  body<OperationBody>({
    referenceId: referenceText().required(),
    amount: amount().description('Absent captures all that is authorized; the rest of the hold is released.'),
  }),
);

export const cancellationRequestSchema = named(
  'CancellationRequest',
  body<OperationBody>({
    referenceId: referenceText().required(),
    reason: nullable(Joi.string().valid(...cancellationReasons)),
    description: nullable(text(limits.textLengthMax)),
  }),
);

export const refundRequestSchema = named(
  'RefundRequest',
  body<OperationBody>({
    referenceId: referenceText().required(),
    amount: amount().description('Absent refunds all that is left.'),
    reason: nullable(Joi.string().valid(...cancellationReasons, 'return')),
    description: nullable(text(limits.textLengthMax)),
    metadata: nullable(metadata()),
  }),
);
