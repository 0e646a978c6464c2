/**
 * Process of floors F2 and F2p, the monolith that the pipeline is compared with. One process takes the request, authenticates
 * the caller, writes twice and answers with the same body: no validation, no vault, no queue, no worker. F2 calls no processor.
 * F2p (with FLOOR_PROCESSOR_URL) calls the test processor between its two writes, as the gateway does.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import { Pool } from 'undici';
import { FLOOR_KEY, openCollection, storeAndSettle, toDocument } from './floor-document.mjs';

const collection = await openCollection(process.env.FLOOR_PROCESSOR_URL ? 'floor_monolith_p' : 'floor_monolith');
const pepper = Buffer.from('floor-pepper-of-the-benchmark');
const digest = (/** @type {string} */ key) => createHmac('sha256', pepper).update(key).digest();
const keyDigests = new Map([[String(process.env.FLOOR_CLIENT_ID), digest(String(process.env.FLOOR_API_KEY))]]);

const { FLOOR_PROCESSOR_URL } = process.env;
const CONNECTIONS_MAX = 256;
const processor = FLOOR_PROCESSOR_URL ? new Pool(FLOOR_PROCESSOR_URL, { connections: CONNECTIONS_MAX }) : undefined;

/** Makes the call that the gateway's worker makes. @param {any} body @param {ReturnType<typeof toDocument>} document */
function chargeOf(body, document) {
  if (!processor) return undefined;
  const { number, expMonth, expYear, cvc, cardholder } = body.paymentMethod.card;
  const holderName = `${cardholder.firstName} ${cardholder.lastName}`;
  const order = {
    key: `${FLOOR_KEY}${document.transactionId}`,
    amountMinor: document.amount.totalMinor,
    currency: document.amount.currency,
    capture: true,
    verification: false,
    credential: { source: 'card', card: { number, expMonth, expYear, cvc, holderName } },
  };
  return async () => {
    const headers = { 'content-type': 'application/json' };
    const path = '/idempotent/authorizations';
    const answer = await processor.request({ method: 'POST', path, headers, body: JSON.stringify(order) });
    const outcome = /** @type {any} */ (await answer.body.json());
    if (outcome.result !== 'approved') throw new Error(`the test processor answered ${answer.statusCode}`);
  };
}

/** @param {string | undefined} header @returns {string | undefined} id of the client */
function authenticate(header = '') {
  const text = Buffer.from(header.slice('Basic '.length), 'base64').toString('utf8');
  const at = text.indexOf(':');
  const stored = keyDigests.get(text.slice(0, at));
  return stored && timingSafeEqual(stored, digest(text.slice(at + 1))) ? text.slice(0, at) : undefined;
}

/** Returns the public form with all fields of the gateway's answer. @param {any} payment */
function present(payment) {
  const { _id, amount, paymentMethod, transactionId } = payment;
  const total = amount.totalMinor / 100;
  const { merchantId, referenceId, invoiceNumber, status, items, browserDetails, metadata } = payment;
  const [createdAt, processedAt] = [payment.createdAt.toISOString(), payment.processedAt.toISOString()];
  return {
    id: _id,
    merchantId,
    referenceId,
    invoiceNumber,
    status,
    flow: 'direct',
    processingMethod: 'api',
    createdAt,
    updatedAt: processedAt,
    processedAt,
    amount: { total, currency: amount.currency, captured: total, refunded: 0 },
    paymentMethod: {
      id: paymentMethod.id,
      name: 'Visa',
      type: 'card',
      source: 'card',
      card: {
        brand: paymentMethod.id,
        last4: paymentMethod.last4,
        expirationMonth: paymentMethod.expMonth,
        expirationYear: paymentMethod.expYear,
      },
    },
    capture: { method: 'automatic' },
    items,
    browserDetails,
    metadata,
    transactions: [
      {
        id: transactionId,
        referenceId,
        type: 'purchase',
        status,
        amount: total,
        currency: amount.currency,
        resultCode: payment.resultCode,
        authorization: payment.authorization,
        processedAt,
        createdAt,
      },
    ],
    actions: [],
  };
}

/** @param {http.ServerResponse} response @param {number} status @param {object} body */
function send(response, status, body) {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

/** @param {http.IncomingMessage} request @param {Buffer} bytes @param {http.ServerResponse} response */
async function pay(request, bytes, response) {
  const clientId = authenticate(request.headers.authorization);
  if (!clientId) return send(response, 401, {});
  const body = JSON.parse(bytes.toString('utf8'));
  const document = toDocument(body, clientId);
  send(response, 200, present(await storeAndSettle(collection, document, chargeOf(body, document))));
}

const server = http.createServer({ noDelay: true, keepAliveTimeout: 65_000 }, (request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    pay(request, Buffer.concat(chunks), response).catch((error) => {
      console.error(error);
      send(response, 500, {});
    });
  });
});
server.listen(Number(process.env.FLOOR_PORT), '127.0.0.1', () => process.send?.({ ready: true }));
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
