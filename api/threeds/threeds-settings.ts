/** The catalogue of 3DS providers and the 3DS settings of a merchant's payment methods. */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { textOf } from '../../shared/domain/json-metadata.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import {
  isPaymentMethodId,
  type PaymentMethodId,
  paymentMethodCatalog,
} from '../../shared/domain/payment-method-catalog.js';
import type { ThreeDsProviderRow, ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import { recordChange } from '../http/record-change.js';
import type { Changer } from '../merchants/merchant-deps.js';
import type { PaymentMethodParams } from '../merchants/payment-method.schema.js';
import { findProvider } from './provider-catalogue.js';
import type { ThreeDsDeps } from './threeds-deps.js';
import { type ThreeDsSettingsBody, toThreeDsSettings } from './threeds-settings.schema.js';

const refused = (field: string, reason: string) =>
  new GatewayError('request-validation-errors', { params: { [field]: [reason] } });

export const listProviders = ({ catalogue }: ThreeDsDeps) => catalogue.list();

/** @throws {GatewayError} `not-found` */
export async function readProvider({ catalogue }: ThreeDsDeps, code: string): Promise<ThreeDsProviderRow> {
  const provider = findProvider(await catalogue.list(), code);
  if (!provider) throw new GatewayError('not-found', { message: '3DS provider not found.' });
  return provider;
}

/** A card method of the merchant. @throws {GatewayError} `request-validation-errors` naming `paymentMethodId`. */
export async function cardMethodOf(
  { methods }: Pick<ThreeDsDeps, 'methods'>,
  { merchantId, paymentMethodId }: PaymentMethodParams,
): Promise<MerchantPaymentMethod> {
  const isCard = isPaymentMethodId(paymentMethodId) && paymentMethodCatalog[paymentMethodId].type === 'card';
  if (!isCard) throw refused('paymentMethodId', 'is not a card method of the catalog');
  const method = await methods.readPaymentMethod(merchantId, paymentMethodId);
  if (!method) throw refused('paymentMethodId', 'is not configured for the merchant');
  return method;
}

const notConfigured = () => new GatewayError('threeds-settings-not-found');

/** @throws {GatewayError} `threeds-settings-not-found`, or `request-validation-errors` for an invalid method. */
export async function readThreeDsSettings(deps: ThreeDsDeps, params: PaymentMethodParams): Promise<ThreeDsSettings> {
  const { threeDs } = await cardMethodOf(deps, params);
  if (!threeDs) throw notConfigured();
  return threeDs;
}

/** The settings of a body, once the provider takes them. @throws {GatewayError} `request-validation-errors` */
async function checked(
  { catalogue }: ThreeDsDeps,
  sent: ThreeDsSettingsBody,
  methodId: PaymentMethodId,
): Promise<ThreeDsSettings> {
  const provider = findProvider(await catalogue.list(), sent.provider);
  if (!provider?.enabled) throw refused('provider', 'is not an enabled provider of the catalogue');
  if (!provider.supportedPaymentMethods.includes(methodId)) {
    throw refused('provider', 'does not support this payment method');
  }
  const missing = provider.requiredFields.filter((key) => textOf(sent.metadata?.[key] ?? '').trim() === '');
  if (missing.length > 0) {
    const params = Object.fromEntries(missing.map((key) => [`metadata.${key}`, ['is required by the provider']]));
    throw new GatewayError('request-validation-errors', { params });
  }
  return toThreeDsSettings(sent, provider.code);
}

/** @throws {GatewayError} `request-validation-errors`, or `conflict` where settings exist. */
export async function createThreeDsSettings(
  deps: ThreeDsDeps,
  params: PaymentMethodParams,
  sent: ThreeDsSettingsBody,
  changer: Changer & { readonly idempotency?: { readonly resumed: boolean } | undefined },
): Promise<ThreeDsSettings> {
  const { merchantId } = params;
  const { id, threeDs: present } = await cardMethodOf(deps, params);
  const settings = await checked(deps, sent, id);
  const saved = await deps.methods.saveThreeDs(merchantId, id, settings, 'none');
  if (!saved) {
    // A call with the same Idempotency-Key may have made them before it was cut off.
    if (changer.idempotency?.resumed && present) return present;
    throw new GatewayError('conflict', {
      message: '3DS settings already exist for this method. Change them with PUT.',
    });
  }
  await recordChange(deps, changer, { action: 'threeds-settings.created', merchantId, object: id });
  return settings;
}

/** @throws {GatewayError} `request-validation-errors`, or `threeds-settings-not-found` where there are none. */
export async function replaceThreeDsSettings(
  deps: ThreeDsDeps,
  params: PaymentMethodParams,
  sent: ThreeDsSettingsBody,
  changer: Changer,
): Promise<ThreeDsSettings> {
  const { merchantId } = params;
  const { id } = await cardMethodOf(deps, params);
  const settings = await checked(deps, sent, id);
  const saved = await deps.methods.saveThreeDs(merchantId, id, settings, 'some');
  if (!saved) throw notConfigured();
  await recordChange(deps, changer, { action: 'threeds-settings.replaced', merchantId, object: id });
  return settings;
}
