/** Whether and how a payment saves its card: chosen when it is accepted, done when it succeeds. */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Tokenization } from '../../shared/domain/payment/payment.js';
import { newInstrumentToken } from '../../shared/ids.js';
import type { PaymentMethodBody } from './payment-method.schema.js';

const FIELD = 'paymentMethod.card.tokenizationSettings.expiration';

const refused = (reason: string) => new GatewayError('request-validation-errors', { params: { [FIELD]: [reason] } });

/** @throws {GatewayError} `request-validation-errors` naming the expiration: in the past, or of a temporal token beyond its day. */
export function planTokenization(method: PaymentMethodBody, now: Date): { tokenization?: Tokenization } {
  const settings = method.card?.tokenizationSettings;
  if (!settings) return {};
  const { expiration } = settings;
  if (expiration && expiration <= now) throw refused('is in the past');
  const token = newInstrumentToken();
  if (settings.type === 'store') {
    return { tokenization: { token, type: 'persistent', ...(expiration && { expiresAt: expiration }) } };
  }
  const latest = new Date(now.getTime() + limits.temporalTokenMs);
  if (expiration && expiration > latest) {
    throw refused(
      'is more than 24 hours ahead, the lifetime of a temporal token: send an earlier time, leave it out, or use type store',
    );
  }
  return { tokenization: { token, type: 'temporal', expiresAt: expiration ?? latest } };
}
