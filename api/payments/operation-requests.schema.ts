/** Bodies of captures, cancellations and refunds (docs/api.md#operations; docs/decisions.md, "refund body"). */
import { limits } from '../../config/limits.js';
import { plainDecimalText } from '../../shared/contract/decimal.schema.js';
import { body, metadata, named, nullable, openCode, text, withErrorCode } from '../../shared/contract/joi.js';
import { referenceText } from './payment-request.schema.js';

const cancellationReasons = [
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

/** Absent means the whole remaining amount. A null is refused: it may be a variable that was never set, and must not move all the money. */
const amount = (all: string) =>
  withErrorCode(
    'payment-invalid-amount',
    plainDecimalText()
      .invalid(null)
      .messages({ 'any.invalid': `{{#label}} must not be null: leave it out to ${all}` })
      .prefs({ abortEarly: true }),
  ).description(`Leave it out to ${all}. An explicit null is refused.`);

/** An open list: a reason has no effect and is kept as sent. */
const reason = (known: readonly string[]) =>
  openCode().description(`${known.map((name) => `\`${name}\``).join(', ')}, or your own text.`);

export const captureRequestSchema = named(
  'CaptureRequest',
  body<Pick<OperationBody, 'referenceId' | 'amount'>>({
    referenceId: referenceText().required(),
    amount: amount('capture all that is authorized'),
  }),
);

export const cancellationRequestSchema = named(
  'CancellationRequest',
  body<Omit<OperationBody, 'amount' | 'metadata'>>({
    referenceId: referenceText().required(),
    reason: reason(cancellationReasons),
    description: nullable(text(limits.textLengthMax)),
  }),
);

export const refundRequestSchema = named(
  'RefundRequest',
  body<OperationBody>({
    referenceId: referenceText().required(),
    amount: amount('refund all that is left'),
    reason: reason([...cancellationReasons, 'return', 'other']),
    description: nullable(text(limits.textLengthMax)),
    metadata: nullable(metadata()),
  }),
);
