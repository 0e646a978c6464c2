import {
  cardBrands,
  isPaymentMethodId,
  paymentMethodCatalog,
  paymentMethodIds,
  supportsCurrency,
  supportsMode,
} from '../../shared/domain/payment-method-catalog.js';

test('the catalog has the methods that docs/decisions.md names', () => {
  expect(paymentMethodIds).toEqual([
    'visa',
    'mastercard',
    'amex',
    'diners',
    'discover',
    'jcb',
    'maestro',
    'oca',
    'cabal',
    'instant-transfer',
  ]);
  expect(cardBrands).toEqual(paymentMethodIds.filter((id) => id !== 'instant-transfer'));
});

test('cards support gateway mode and every currency, and are recognized by their number', () => {
  for (const brand of cardBrands) {
    expect(supportsMode(brand, 'gateway')).toBe(true);
    expect(supportsCurrency(brand, 'JPY')).toBe(true);
    expect(paymentMethodCatalog[brand].brandRule).toBe('number');
  }
});

test('instant-transfer is for payment facilitators and US dollars only', () => {
  expect(supportsMode('instant-transfer', 'payment-facilitator')).toBe(true);
  expect(supportsMode('instant-transfer', 'gateway')).toBe(false);
  expect(supportsCurrency('instant-transfer', 'USD')).toBe(true);
  expect(supportsCurrency('instant-transfer', 'UYU')).toBe(false);
});

test('names that every object has are not payment methods', () => {
  expect(isPaymentMethodId('visa')).toBe(true);
  for (const text of ['constructor', '__proto__', 'toString', '', 'VISA']) expect(isPaymentMethodId(text)).toBe(false);
});
