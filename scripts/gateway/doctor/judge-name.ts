/** Says who gets a merchant's number instead of its name, because they read ASCII only and the name is in another script. */
import type { Merchant, MerchantPaymentMethod } from '../../../shared/domain/merchant.js';
import { paymentMethodCatalog } from '../../../shared/domain/payment-method-catalog.js';
import { hasPlainName, merchantByNumber } from '../../../shared/domain/plain-text.js';
import { type Finding, findingsOf } from './finding.js';

const merchants = findingsOf('merchants', 'docs/going-live.md#merchants');
/** Whether issuers get the name on the merchant's record. They do not when the settings give another name for them. */
const asksIssuers = ({ threeDs }: MerchantPaymentMethod) =>
  threeDs?.enabled === true &&
  threeDs.provider.toLowerCase() === 'emv3ds' &&
  !threeDs.metadata.some(({ k, v }) => k === 'merchantName' && v !== '');

/** Whether the processor gets the name on the merchant's record: messages of ISO 8583 and codes of transfers contain it. */
const namesMerchant = ({ id, settings: { paymentProcessor, routes = [] } }: MerchantPaymentMethod) =>
  paymentMethodCatalog[id].type === 'bank-transfer' ||
  [paymentProcessor, ...routes.map((route) => route.paymentProcessor)].some((processor) => processor?.id === 'iso8583');

/** @returns at most a notice: such a merchant can be charged */
export function nameNotices(merchant: Merchant, methods: readonly MerchantPaymentMethod[]): readonly Finding[] {
  if (hasPlainName(merchant.name)) return [];
  const enabled = methods.filter((method) => method.enabled);
  const issuers = enabled.filter(asksIssuers).map(({ id }) => `3D Secure of ${id}`);
  const others = enabled.filter(namesMerchant).map(({ id }) => `the acquirer or bank of ${id}`);
  if (issuers.length + others.length === 0) return [];
  const found = `${merchant.id}: its name has no Latin letters, "${merchantByNumber(merchant.id)}" takes its place for ${[...issuers, ...others].join(', ')}`;
  const todo = 'Give the name in Latin letters as merchantName in the metadata of the 3D Secure settings.';
  return [merchants.notice(found, issuers.length > 0 ? todo : undefined)];
}
