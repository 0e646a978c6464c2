/** Builds every filter of `GET /v1/payments/query`, and every pair of them, for the payments that fill the database. Pure. */
import { createdAtOf, referenceOf } from './fill.mjs';
import { values } from './vary.mjs';

/** @typedef {Readonly<Record<string, string>>} Filter parameters of the query */
/** @typedef {{ readonly name: string, readonly filter: Filter }} Question */

/** @param {number} minor */
const decimal = (minor) => (minor / 100).toFixed(2);

/**
 * Returns filters by name, with common, rare and missing values.
 * @param {{ stored: number, filledAt: number, id: string }} given `id`: of a payment in the middle
 * @returns {Record<string, Filter>}
 */
export function filtersOf({ stored, filledAt, id }) {
  const { merchants, currencies, brands, totals, metadata } = values;
  const middle = Math.floor(stored / 2);
  const at = (/** @type {number} */ share) =>
    new Date(createdAtOf(Math.floor(stored * share), stored, filledAt)).toISOString();
  const withValue = (/** @type {{ k: string, v: string }} */ { k, v }) => ({ metadataKey: k, metadataValue: v });
  return {
    id: { id },
    referenceId: { referenceId: referenceOf(middle) },
    'merchantId common': { merchantId: String(merchants.common) },
    'merchantId rare': { merchantId: String(merchants.rare) },
    'status approved': { status: 'approved' },
    'status denied': { status: 'denied' },
    'status cancelled': { status: 'cancelled' },
    'status created': { status: 'created' },
    'status none': { status: 'expired' },
    'currency common': { currency: currencies.common },
    'currency rare': { currency: currencies.rare },
    'currency none': { currency: currencies.none },
    'paymentMethodId common': { paymentMethodId: brands.common },
    'paymentMethodId rare': { paymentMethodId: brands.rare },
    'minAmount rare': { minAmount: decimal(totals.usualMax + 1) },
    'minAmount, maxAmount': { minAmount: decimal(totals.usualMin), maxAmount: decimal(2 * totals.usualMin) },
    'maxAmount none': { maxAmount: decimal(totals.usualMin - 1) },
    'minDate, two thirds': { minDate: at(1 / 3) },
    'maxDate, half': { maxDate: at(1 / 2) },
    'metadataKey common': { metadataKey: metadata.common.k },
    'metadataKey rare': { metadataKey: metadata.rare.k },
    'metadataKey very rare': { metadataKey: metadata.veryRare.k },
    'metadata common': withValue(metadata.common),
    'metadata rare': withValue(metadata.rare),
    'metadata one': withValue({ k: metadata.own, v: `o-${middle}` }),
    'metadata none': withValue({ k: metadata.common.k, v: 'none' }),
  };
}

/** @param {Filter} filter */
const isPossible = ({ minAmount = '0', maxAmount = 'Infinity' }) => Number(minAmount) <= Number(maxAmount);

/**
 * Returns each filter alone, and each pair that neither sets a parameter twice nor has a range that ends before it begins.
 * @param {Readonly<Record<string, Filter>>} filters
 * @returns {Question[]}
 */
export function questionsOf(filters) {
  const all = Object.entries(filters);
  return all.flatMap(([name, one], index) => {
    const pairs = all
      .slice(index + 1)
      .filter(([, two]) => !Object.keys(two).some((key) => key in one) && isPossible({ ...one, ...two }))
      .map(([other, two]) => ({ name: `${name} + ${other}`, filter: { ...one, ...two } }));
    return [{ name, filter: one }, ...pairs];
  });
}
