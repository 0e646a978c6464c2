import type { ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import type { PaymentMethodParams } from '../merchants/payment-method.schema.js';
import { cardMethodOf, notConfigured } from './get-settings.js';
import { presentThreeDsSettings, type ThreeDsSettingsBody } from './threeds-settings.schema.js';
import { checkedSettings, writesSettings } from './write-settings.js';

/** @throws {GatewayError} `request-validation-errors`, or `threeds-settings-not-found` when there are none. */
async function replaceThreeDsSettings(
  deps: Pick<ApiDeps, 'methods' | 'threeDsProviders' | 'audit'>,
  params: PaymentMethodParams,
  sent: ThreeDsSettingsBody,
  changer: Changer,
): Promise<ThreeDsSettings> {
  const { merchantId } = params;
  const { id } = await cardMethodOf(deps, params);
  const settings = await checkedSettings(deps, sent, id);
  const saved = await deps.methods.saveThreeDs(merchantId, id, settings, 'some');
  if (!saved) throw notConfigured();
  await recordChange(deps, changer, { action: 'threeds-settings.replaced', merchantId, object: id });
  return settings;
}

export const replaceThreeDsSettingsEndpoint = defineEndpoint({
  ...writesSettings,
  method: 'put',
  operationId: 'replaceThreeDsSettings',
  flowWritesAudit: true,
  summary: 'Replace the 3DS settings of a payment method',
  description: 'Replaced as a whole. Payments that are already accepted keep the earlier settings.',
  errors: ['threeds-settings-not-found', 'payment-invalid-amount', 'currency-not-found'],
  handle: async (context, deps) =>
    presentThreeDsSettings(await replaceThreeDsSettings(deps, context.params, context.body, context)),
});
