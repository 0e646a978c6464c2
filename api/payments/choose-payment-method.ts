/** Chooses the payment method of the merchant through which a card or a bank transfer is charged. */

import { type ErrorParams, GatewayError } from '../../shared/contract/gateway-error.js';
import { fitsCode } from '../../shared/domain/code/emv-payload.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { parseAmount, toDecimalText } from '../../shared/domain/money/amount.js';
import {
  type CardBrand,
  isPaymentMethodId,
  type PaymentMethodId,
  paymentMethodCatalog,
  supportsCurrency,
} from '../../shared/domain/payment-method-catalog.js';
import type { ThreeDsSettings } from '../../shared/domain/threeds/settings.js';
import { canDo } from '../../shared/processors/capabilities.js';
import { routeFacilitator } from '../../shared/processors/route-facilitator.js';
import type { ApiDeps } from '../deps.js';
import type { PaymentDraft } from './payment-draft.js';

/** Payment method of the merchant: its public name and its processor. */
interface UsableMethod {
  readonly name: string;
  readonly processor: string;
  readonly acquirer: string;
  readonly settings: MerchantPaymentMethod['settings'];
}

/** Method of a card payment. */
export interface ChosenMethod extends UsableMethod {
  readonly brand: CardBrand;
  readonly threeDs?: ThreeDsSettings;
}

/** Method of a bank transfer. */
export interface TransferMethod extends UsableMethod {
  readonly id: PaymentMethodId;
}

/** Returns the processor that charges cards under these settings; undefined when none is configured. */
export const processorOf = (
  settings: MerchantPaymentMethod['settings'],
  environment: ApiDeps['config']['environment'],
): string | undefined => settings.paymentProcessor?.id ?? routeFacilitator(settings, environment);

const refused = (internal: string, extras: { message?: string; params?: ErrorParams } = {}) =>
  new GatewayError('invalid-card-payment-method', { internal, ...extras });

/** @throws {GatewayError} `currency-not-found` when the method does not take the currency */
function requireCurrency(id: PaymentMethodId, currency: string): void {
  if (supportsCurrency(id, currency)) return;
  throw new GatewayError('currency-not-found', { params: { 'amount.currency': ['is not supported by this method'] } });
}

/**
 * Chooses the method for a card.
 * @throws {GatewayError} `invalid-card-payment-method` when the brand is unknown, is not `methodId`, or is not configured and
 * enabled for the merchant; `currency-not-found` when the method does not take the currency.
 */
export async function chooseCardMethod(
  deps: Pick<ApiDeps, 'methods' | 'config'>,
  request: { merchantId: number; brand: CardBrand | undefined; methodId: string | undefined; currency: string },
): Promise<ChosenMethod> {
  const { brand } = request;
  if (!brand)
    throw refused('the number belongs to no brand of the catalog', {
      message: 'Card brand not supported.',
    });
  if (request.methodId !== undefined && request.methodId !== brand) {
    throw refused('the id is another brand', { params: { 'paymentMethod.id': ['is not the brand of the card'] } });
  }
  const method = await deps.methods.findPaymentMethod(request.merchantId, brand);
  if (!method?.enabled) {
    const message = 'Card brand not supported by the merchant: the payment method is not configured or is disabled.';
    throw refused(`${brand} is not configured for the merchant`, { message });
  }
  requireCurrency(brand, request.currency);
  const processor = processorOf(method.settings, deps.config.environment);
  if (!processor) throw refused(`${brand} has no processor configured`);
  return {
    brand,
    name: paymentMethodCatalog[brand].name,
    processor,
    acquirer: method.settings.paymentProcessor?.acquirer ?? processor,
    settings: method.settings,
    ...(method.threeDs && { threeDs: method.threeDs }),
  };
}

/** Turns a configured method into one for bank transfers; `undefined` when it cannot be used for them. */
export function asTransferMethod(
  { id, enabled, mode, settings }: MerchantPaymentMethod,
  environment: ApiDeps['config']['environment'],
): TransferMethod | undefined {
  if (!enabled || mode !== 'payment-facilitator') return undefined;
  const processor = routeFacilitator(settings, environment);
  if (!processor || !canDo(processor, 'issueCode') || !canDo(processor, 'findTransfers')) return undefined;
  const acquirer = settings.paymentProcessor?.acquirer ?? processor;
  return { id, name: paymentMethodCatalog[id].name, processor, acquirer, settings };
}

/** Finds the merchant's method for bank transfers with this id; `undefined` when there is none that can be used. */
export async function findTransferMethod(
  deps: Pick<ApiDeps, 'methods' | 'config'>,
  merchantId: number,
  id: string,
): Promise<TransferMethod | undefined> {
  if (!isPaymentMethodId(id) || paymentMethodCatalog[id].type !== 'bank-transfer') return undefined;
  const method = await deps.methods.findPaymentMethod(merchantId, id);
  return method && asTransferMethod(method, deps.config.environment);
}

export const TOO_LONG_FOR_CODE = 'has more than the 13 characters that the amount of a QR code may have';

/** Whether a QR code can carry an amount, given as decimal text. */
export function fitsTransfer(total: string, currency: string): boolean {
  const parsed = parseAmount(total, currency);
  return parsed.kind === 'problem' || fitsCode(toDecimalText(parsed.minor, currency));
}

/**
 * Chooses the method for a bank transfer.
 * @throws {GatewayError} `request-validation-errors` naming `paymentMethod.id` when the merchant has no such method in
 * payment-facilitator mode; `currency-not-found` when the method does not take the currency; `payment-invalid-amount` when the
 * amount is too long for the QR code.
 */
export async function chooseTransferMethod(
  deps: Pick<ApiDeps, 'methods' | 'config'>,
  { merchantId, paymentMethod, amount: { totalMinor, currency } }: PaymentDraft,
): Promise<TransferMethod> {
  const method = await findTransferMethod(deps, merchantId, paymentMethod.id ?? '');
  if (!method) {
    const params = {
      'paymentMethod.id': ['is not a bank transfer that is configured for the merchant in payment-facilitator mode'],
    };
    throw new GatewayError('request-validation-errors', { params });
  }
  requireCurrency(method.id, currency);
  if (fitsCode(toDecimalText(totalMinor, currency))) return method;
  throw new GatewayError('payment-invalid-amount', {
    params: { 'amount.total': [`"amount.total" ${TOO_LONG_FOR_CODE}`] },
  });
}
