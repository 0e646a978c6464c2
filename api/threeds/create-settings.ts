import { isDeepStrictEqual } from 'node:util';
import { conflict } from '../../shared/contract/gateway-error.js';
import type { ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import type { ApiDeps } from '../deps.js';
import { type Changer, defineEndpoint } from '../http/define-endpoint.js';
import { recordChange } from '../http/record-change.js';
import type { PaymentMethodParams } from '../merchants/payment-method.schema.js';
import { cardMethodOf } from './get-settings.js';
import { presentThreeDsSettings, type ThreeDsSettingsBody } from './threeds-settings.schema.js';
import { checkedSettings, writesSettings } from './write-settings.js';

/** @throws {GatewayError} `request-validation-errors`, or `conflict` when settings exist. */
async function createThreeDsSettings(
  deps: Pick<ApiDeps, 'methods' | 'threeDsProviders' | 'audit'>,
  params: PaymentMethodParams,
  sent: ThreeDsSettingsBody,
  changer: Changer,
): Promise<ThreeDsSettings> {
  const { merchantId } = params;
  const { id, threeDs: present } = await cardMethodOf(deps, params);
  const settings = await checkedSettings(deps, sent, id);
  const saved = await deps.methods.saveThreeDs(merchantId, id, settings, 'none');
  // A call with the same Idempotency-Key may have created the settings and then been cut off, perhaps before the audit record.
  const isOwn = changer.idempotency?.resumed && isDeepStrictEqual(present, settings);
  if (!saved && !isOwn) {
    throw conflict('3DS settings already exist for this method. Change them with PUT.');
  }
  await recordChange(deps, changer, { action: 'threeds-settings.created', merchantId, object: id });
  return settings;
}

export const createThreeDsSettingsEndpoint = defineEndpoint({
  ...writesSettings,
  method: 'post',
  operationId: 'createThreeDsSettings',
  flowWritesAudit: true,
  summary: 'Switch 3D Secure on for a payment method',
  description: 'Payments follow within a few seconds. Change existing settings with PUT.',
  idempotent: true,
  errors: ['conflict', 'payment-invalid-amount', 'currency-not-found'],
  handle: async (context, deps) =>
    presentThreeDsSettings(await createThreeDsSettings(deps, context.params, context.body, context)),
});
