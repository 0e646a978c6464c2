/**
 * Process, floor F2: the monolith that the pipeline is measured against. One process takes the request, authenticates the
 * caller, writes twice and answers the same body; no validation, no vault, no queue, no worker, no processor.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import http from 'node:http';
import { openCollection, storeAndSettle, toDocument } from './floor-document.mjs';

const collection = await openCollection('floor_monolith');
const pepper = Buffer.from('floor-pepper-of-the-benchmark');
const digest = (/** @type {string} */ key) => createHmac('sha256', pepper).update(key).digest();
const known = new Map([[String(process.env.FLOOR_CLIENT_ID), digest(String(process.env.FLOOR_API_KEY))]]);

/** @param {string | undefined} header @returns {string | undefined} the client */
function authenticate(header = '') {
  const text = Buffer.from(header.slice('Basic '.length), 'base64').toString('utf8');
  const at = text.indexOf(':');
  const stored = known.get(text.slice(0, at));
  return stored && timingSafeEqual(stored, digest(text.slice(at + 1))) ? text.slice(0, at) : undefined;
}

/** The public form, field for field what the gateway answers. @param {any} payment */
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
  send(
    response,
    200,
    present(await storeAndSettle(collection, toDocument(JSON.parse(bytes.toString('utf8')), clientId))),
  );
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
