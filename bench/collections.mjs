/** The gateway's collections, with the types of what it stores: a field that a statement names and no document has does not compile. */

/** @typedef {import('../shared/domain/payment/payment.js').Payment} Payment */
/** @typedef {import('../shared/domain/callback/delivery.js').Delivery} Delivery */
/** @template T @typedef {import('../shared/store/typed-collection.js').Where<T>} Where */
/** @template {object} T @typedef {import('../shared/store/typed-collection.js').Collection<T>} Collection */

/** @param {import('mongoose').mongo.MongoClient} client */
export const paymentsOf = (client) =>
  /** @type {Collection<Payment>} */ (/** @type {unknown} */ (client.db().collection('payments')));

/** @param {import('mongoose').mongo.MongoClient} client */
export const deliveriesOf = (client) =>
  /** @type {Collection<Delivery>} */ (/** @type {unknown} */ (client.db().collection('deliveries')));
