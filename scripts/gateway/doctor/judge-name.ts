/** Who reads a merchant's number in place of its name, since they read ASCII only and the name is in another script. */
import type { Merchant, MerchantPaymentMethod } from '../../../shared/domain/merchant.js';
import { paymentMethodCatalog } from '../../../shared/domain/payment-method-catalog.js';
import { hasPlainName, merchantByNumber } from '../../../shared/domain/plain-text.js';
import { type Finding, findingsOf } from './finding.js';

const merchants = findingsOf('merchants', 'docs/going-live.md#merchants');
/** Issuers read a name that the settings give for them. */
const asksIssuers = ({ threeDs }: MerchantPaymentMethod) =>
  threeDs?.enabled === true &&
  threeDs.provider.toLowerCase() === 'emv3ds' &&
  !threeDs.metadata.some(({ k, v }) => k === 'merchantName' && v !== '');

/** Messages of ISO 8583 and codes of transfers carry the name of the merchant's record. */
const namesMerchant = ({ id, settings: { paymentProcessor, routes = [] } }: MerchantPaymentMethod) =>
  paymentMethodCatalog[id].type === 'bank-transfer' ||
  [paymentProcessor, ...routes.map((route) => route.paymentProcessor)].some((processor) => processor?.id === 'iso8583');

/** @returns a notice at most: such a merchant can be charged. */
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
