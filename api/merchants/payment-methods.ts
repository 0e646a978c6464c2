/** How a merchant is configured for payment methods. The caller was authorized for the merchant. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { isPaymentMethodId, type PaymentMethodId } from '../../shared/domain/payment-method-catalog.js';
import { processorCodesIn } from '../../shared/processors/capabilities.js';
import { routeFacilitator } from '../../shared/processors/route-facilitator.js';
import { isDuplicateKey } from '../../shared/store/database.js';
import type { PageQuery } from '../http/paging.js';
import { recordChange } from '../http/record-change.js';
import type { Changer, MerchantDeps } from './merchant-deps.js';
import type {
  CreatePaymentMethodBody,
  PaymentMethodParams,
  ReplacePaymentMethodBody,
} from './payment-method.schema.js';
import { modeOf, modeProblem, type SettingsDraft } from './payment-method-configuration.js';

const notConfigured = () => new GatewayError('payment-method-not-found');
const refused = (field: string, message: string) =>
  new GatewayError('request-validation-errors', { params: { [field]: [`"${field}" ${message}`] } });

/** The code in a path. @throws {GatewayError} `payment-method-not-found` when the catalog has none like it. */
function codeOf({ paymentMethodId }: PaymentMethodParams): PaymentMethodId {
  if (!isPaymentMethodId(paymentMethodId)) throw notConfigured();
  return paymentMethodId;
}

/** What the schema cannot know: modes of this method, and processors of this installation. @throws {GatewayError} */
function checkConfiguration({ config }: MerchantDeps, id: PaymentMethodId, settings: SettingsDraft): void {
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

/** A page of the methods that are configured, newest first. There are never more than the catalog has. */
export async function listPaymentMethods({ methods }: MerchantDeps, merchantId: number, { page, size }: PageQuery) {
  const all = (await methods.findPaymentMethodsOf(merchantId)).toReversed();
  return { items: all.slice((page - 1) * size, page * size), total: all.length };
}

/** @throws {GatewayError} `payment-method-not-found` */
export async function readPaymentMethod(
  { methods }: MerchantDeps,
  params: PaymentMethodParams,
): Promise<MerchantPaymentMethod> {
  const method = await methods.readPaymentMethod(params.merchantId, codeOf(params));
  if (!method) throw notConfigured();
  return method;
}

/** @throws {GatewayError} `request-validation-errors`, or `conflict` when the method is configured already. */
export async function createPaymentMethod(
  deps: MerchantDeps,
  merchantId: number,
  { id, enabled = true, settings }: CreatePaymentMethodBody,
  changer: Changer & { readonly idempotency?: { readonly resumed: boolean } | undefined },
): Promise<MerchantPaymentMethod> {
  checkConfiguration(deps, id, settings);
  try {
    const method = await deps.methods.insertPaymentMethod({
      merchantId,
      id,
      mode: modeOf(settings),
      enabled,
      settings,
    });
    await recordChange(deps, changer, { action: 'payment-method.created', merchantId, object: id });
    return method;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // A call with the same Idempotency-Key may have made it before it was cut off.
    const made = changer.idempotency?.resumed ? await deps.methods.readPaymentMethod(merchantId, id) : undefined;
    if (made) return made;
    throw new GatewayError('conflict', { message: 'This payment method is already configured. Change it with PUT.' });
  }
}

/** @throws {GatewayError} `payment-method-not-found` or `request-validation-errors` */
export async function replacePaymentMethod(
  deps: MerchantDeps,
  params: PaymentMethodParams,
  { id: given, enabled, settings }: ReplacePaymentMethodBody,
  changer: Changer,
): Promise<MerchantPaymentMethod> {
  const { merchantId } = params;
  const id = codeOf(params);
  if (given !== undefined && given !== id) throw refused('id', 'must be the code in the path, or left out');
  checkConfiguration(deps, id, settings);
  const replacement = { merchantId, id, mode: modeOf(settings), settings, ...(enabled !== undefined && { enabled }) };
  const method = await deps.methods.replacePaymentMethod(replacement);
  if (!method) throw notConfigured();
  await recordChange(deps, changer, { action: 'payment-method.replaced', merchantId, object: id });
  return method;
}

/** @throws {GatewayError} `payment-method-not-found` */
export async function deletePaymentMethod(
  deps: MerchantDeps,
  params: PaymentMethodParams,
  changer: Changer,
): Promise<void> {
  const { merchantId } = params;
  const id = codeOf(params);
  if (!(await deps.methods.deletePaymentMethod(merchantId, id))) throw notConfigured();
  await recordChange(deps, changer, { action: 'payment-method.deleted', merchantId, object: id });
}
