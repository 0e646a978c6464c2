/** Whether and how a payment saves its card: chosen when it is accepted, done when it succeeds. */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { PaymentMethodBody } from '../../shared/contract/payment/payment-method.schema.js';
import type { Tokenization } from '../../shared/domain/payment/payment.js';
import { newInstrumentToken } from '../../shared/ids.js';

const FIELD = 'paymentMethod.card.tokenizationSettings.expiration';

/** @throws {GatewayError} `request-validation-errors` naming the expiration when it lies in the past. */
export function planTokenization(method: PaymentMethodBody, now: Date): { tokenization?: Tokenization } {
  const settings = method.card?.tokenizationSettings;
  if (!settings) return {};
  const { expiration } = settings;
  if (expiration && expiration <= now) {
    throw new GatewayError('request-validation-errors', { params: { [FIELD]: ['lies in the past'] } });
  }
  const token = newInstrumentToken();
  if (settings.type === 'store') {
    return { tokenization: { token, type: 'persistent', ...(expiration && { expiresAt: expiration }) } };
  }
  const latest = now.getTime() + limits.temporalTokenMs;
  const expiresAt = new Date(Math.min(latest, expiration?.getTime() ?? latest));
  return { tokenization: { token, type: 'temporal', expiresAt } };
}
