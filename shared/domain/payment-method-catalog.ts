/**
 * The catalog of payment methods (docs/decisions.md, "payment method catalog"): what a merchant can be configured for.
 * A new method is one row here; a new card brand also needs its number ranges in `card/brand.ts`.
 */

/** The merchant's relation to the acquirer: with its own contract, or under a payment facilitator. */
export type PaymentMethodMode = 'gateway' | 'payment-facilitator';
export type PaymentMethodType = 'card' | 'bank-transfer';

interface CatalogRow {
  readonly name: string;
  readonly type: PaymentMethodType;
  readonly modes: readonly PaymentMethodMode[];
  /** ISO 4217 alphabetic codes, or every currency. */
  readonly currencies: 'all' | readonly string[];
  /** `number`: the card number must be of this brand. `none`: the method has no card. */
  readonly brandRule: 'number' | 'none';
}

const bothModes = ['gateway', 'payment-facilitator'] as const;
const gatewayOnly = ['gateway'] as const;
const card = { type: 'card', currencies: 'all', brandRule: 'number' } as const;

export const paymentMethodCatalog = {
  visa: { name: 'Visa', modes: bothModes, ...card },
  mastercard: { name: 'Mastercard', modes: bothModes, ...card },
  amex: { name: 'American Express', modes: gatewayOnly, ...card },
  diners: { name: 'Diners Club', modes: gatewayOnly, ...card },
  discover: { name: 'Discover', modes: gatewayOnly, ...card },
  jcb: { name: 'JCB', modes: gatewayOnly, ...card },
  maestro: { name: 'Maestro', modes: bothModes, ...card },
  oca: { name: 'OCA', modes: gatewayOnly, ...card },
  cabal: { name: 'Cabal', modes: gatewayOnly, ...card },
  'instant-transfer': {
    name: 'Instant transfer',
    type: 'bank-transfer',
    modes: ['payment-facilitator'],
    currencies: ['USD'],
    brandRule: 'none',
  },
} as const satisfies Record<string, CatalogRow>;

/** Code of a payment method: `visa`, `instant-transfer`, … */
export type PaymentMethodId = keyof typeof paymentMethodCatalog;

/** Codes of the methods that are card brands. */
export type CardBrand = {
  [Id in PaymentMethodId]: (typeof paymentMethodCatalog)[Id]['type'] extends 'card' ? Id : never;
}[PaymentMethodId];

export const paymentMethodIds = Object.keys(paymentMethodCatalog) as PaymentMethodId[];
export const cardBrands = paymentMethodIds.filter((id): id is CardBrand => paymentMethodCatalog[id].type === 'card');

/** Whether the text is a code of the catalog. Safe for text that a caller sent (`constructor` is no code). */
export function isPaymentMethodId(text: string): text is PaymentMethodId {
  return Object.hasOwn(paymentMethodCatalog, text);
}

export function supportsMode(id: PaymentMethodId, mode: PaymentMethodMode): boolean {
  return (paymentMethodCatalog[id].modes as readonly PaymentMethodMode[]).includes(mode);
}

/** Whether the method can be paid in this currency (ISO 4217 alphabetic code). */
export function supportsCurrency(id: PaymentMethodId, currency: string): boolean {
  const { currencies }: CatalogRow = paymentMethodCatalog[id];
  return currencies === 'all' || currencies.includes(currency);
}
