/** What the schema of a payment method's settings cannot know. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { isPaymentMethodId, type PaymentMethodId } from '../../shared/domain/payment-method-catalog.js';
import { processorCodesIn } from '../../shared/processors/capabilities.js';
import { routeFacilitator } from '../../shared/processors/route-facilitator.js';
import type { ApiDeps } from '../deps.js';
import type { PaymentMethodParams } from './payment-method.schema.js';
import { modeOf, modeProblem, type SettingsDraft } from './payment-method-configuration.js';

export const notConfigured = () => new GatewayError('payment-method-not-found');
export const refused = (field: string, message: string) =>
  new GatewayError('request-validation-errors', { params: { [field]: [`"${field}" ${message}`] } });

/** The code in a path. @throws {GatewayError} `payment-method-not-found` when the catalog has none like it. */
export function codeOf({ paymentMethodId }: PaymentMethodParams): PaymentMethodId {
  if (!isPaymentMethodId(paymentMethodId)) throw notConfigured();
  return paymentMethodId;
}

/** What the schema cannot know: modes of this method, and processors of this installation. @throws {GatewayError} */
export function checkConfiguration(
  { config }: Pick<ApiDeps, 'config'>,
  id: PaymentMethodId,
  settings: SettingsDraft,
): void {
  const mode = modeOf(settings);
  const wrongMode = modeProblem(id, mode);
  if (wrongMode !== undefined) throw refused('settings', wrongMode);
  const available: readonly string[] = processorCodesIn(config.environment);
  if (mode === 'gateway' && !available.includes(settings.paymentProcessor?.id ?? '')) {
    const choice = available.length === 0 ? 'and there is none' : `: ${available.join(', ')}`;
    throw refused('settings.paymentProcessor.id', `must be a processor of this installation${choice}`);
  }
  if (mode === 'payment-facilitator' && !routeFacilitator(settings, config.environment)) {
    throw refused('settings.paymentFacilitator.id', 'belongs to no processor of this installation');
  }
}
