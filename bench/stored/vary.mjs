/** Varies the filling payments: common and rare values of everything that payments are filtered by. Pure. */

/** Whether it is one payment in this many, evenly over all times. Different offsets select different payments. */
const isOneIn = (/** @type {number} */ serial, /** @type {number} */ many, /** @type {number} */ offset) =>
  serial % many === offset;

/** Values as in the query. No payment has `none`. */
export const values = {
  merchants: { common: 1001, rare: 1002 },
  currencies: { common: 'USD', rare: 'JPY', none: 'EUR' },
  brands: { common: 'visa', rare: 'amex' },
  /** Minor units. The usual totals are below `usualMax`. */
  totals: { usualMin: 100, usualMax: 50_100, rare: 9_999_999 },
  metadata: {
    common: { k: 'channel', v: 'web' },
    rare: { k: 'campaign', v: 'spring' },
    veryRare: { k: 'gift', v: 'yes' },
    /** Key that every payment has, with a different value. */
    own: 'order',
  },
};

/** Other merchants, whose payments are between those that are queried. */
const OTHER_MERCHANTS = 100;
const OTHER_MERCHANT_FIRST = 3_000;
/** A prime, so that totals are in no order. */
const STRIDE = 7_919;

/** @param {number} serial */
function merchantOf(serial) {
  if (isOneIn(serial, 100, 7)) return values.merchants.rare;
  return serial % 10 < 3 ? OTHER_MERCHANT_FIRST + (serial % OTHER_MERCHANTS) : values.merchants.common;
}

/** @param {number} serial @returns {import('../collections.mjs').Payment['status']} */
function statusOf(serial) {
  if (isOneIn(serial, 25, 3)) return 'denied';
  if (isOneIn(serial, 100, 11)) return 'refunded';
  if (isOneIn(serial, 500, 17)) return 'created';
  return isOneIn(serial, 5_000, 13) ? 'cancelled' : 'approved';
}

/** @param {number} serial */
function totalOf(serial) {
  const { usualMin, usualMax, rare } = values.totals;
  return isOneIn(serial, 5_000, 29) ? rare : usualMin + ((serial * STRIDE) % (usualMax - usualMin));
}

/** @param {number} serial */
const metadataOf = (serial) => [
  { k: values.metadata.own, v: `o-${serial}` },
  values.metadata.common,
  ...(isOneIn(serial, 100, 31) ? [values.metadata.rare] : []),
  ...(isOneIn(serial, 5_000, 37) ? [values.metadata.veryRare] : []),
];

/** @param {number} serial */
function currencyOf(serial) {
  if (isOneIn(serial, 5_000, 19)) return values.currencies.rare;
  return isOneIn(serial, 20, 2) ? 'UYU' : values.currencies.common;
}

/** @param {number} serial */
function brandOf(serial) {
  if (isOneIn(serial, 5_000, 23)) return values.brands.rare;
  return serial % 5 === 1 ? 'mastercard' : values.brands.common;
}

/** @param {number} serial */
export const variationOf = (serial) => ({
  merchantId: merchantOf(serial),
  status: statusOf(serial),
  currency: currencyOf(serial),
  brand: brandOf(serial),
  totalMinor: totalOf(serial),
  metadata: metadataOf(serial),
});
