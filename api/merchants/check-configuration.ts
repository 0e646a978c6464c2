/** Checks of a payment method's settings that the schema cannot make. */
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { isPaymentMethodId, type PaymentMethodId } from '../../shared/domain/payment-method-catalog.js';
import { processorCodesIn } from '../../shared/processors/capabilities.js';
import { routeFacilitator } from '../../shared/processors/route-facilitator.js';
import type { ApiDeps } from '../deps.js';
import type { PaymentMethodParams } from './payment-method.schema.js';
import { modeOf, modeProblem, type SettingsDraft } from './payment-method-configuration.js';
import { listProblem } from './route-problems.js';

export const notConfigured = () => new GatewayError('payment-method-not-found');
export const refused = (field: string, reason: string) => invalidField(field, `"${field}" ${reason}`);

/** Returns the method code of a path. @throws {GatewayError} `payment-method-not-found` when it is not in the catalog. */
export function codeOf({ paymentMethodId }: PaymentMethodParams): PaymentMethodId {
  if (!isPaymentMethodId(paymentMethodId)) throw notConfigured();
  return paymentMethodId;
}

/** Returns the problem of the routes in this installation, with its field; `undefined` when there is none. */
export function routesRefusal(
  id: PaymentMethodId,
  settings: SettingsDraft,
  available: readonly string[],
): { readonly field: string; readonly reason: string } | undefined {
  const { routes } = settings;
  if (!routes) return undefined;
  const unknown = routes.findIndex(({ paymentProcessor }) => !available.includes(paymentProcessor.id));
  if (unknown >= 0) {
    const field = `settings.routes.${unknown}.paymentProcessor.id`;
    return { field, reason: `must be a processor of this installation: ${available.join(', ')}` };
  }
  const reason = listProblem(id, settings);
  return reason === undefined ? undefined : { field: 'settings.routes', reason };
}

/** Checks that the method supports the mode and that this installation has the processors. @throws {GatewayError} */
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
  const route = routesRefusal(id, settings, available);
  if (route) throw refused(route.field, route.reason);
  if (mode === 'payment-facilitator' && !routeFacilitator(settings, config.environment)) {
    throw refused('settings.paymentFacilitator.id', 'belongs to no processor of this installation');
  }
}
