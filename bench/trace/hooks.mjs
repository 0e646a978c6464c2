/**
 * Loaded into the API and the worker before their own code (`--trace`). Notes when messages on the way of a payment leave and
 * arrive, by ids in commands and answers. The gateway does not know of it. Tracing takes time, so the rates of traced runs must
 * not be compared.
 */

import { subscribe } from 'node:diagnostics_channel';
import { appendFileSync } from 'node:fs';
import { ServerResponse } from 'node:http';
import { Redis } from 'ioredis';
import mongoose from 'mongoose';

const { TRACE_FILE = '', TRACE_PROCESS = '' } = process.env;
const FLUSH_MS = 200;
const PAYMENT = /pay_[0-9a-zA-Z_-]{16,40}/g;
const TRANSACTION = /txn_[0-9a-zA-Z_-]{16,40}/;
const OPERATIONS = ['insertOne', 'insertMany', 'updateOne', 'updateMany', 'bulkWrite', 'findOneAndUpdate', 'findOne'];

/** @type {string[]} */
let lines = [];
const now = () => performance.timeOrigin + performance.now();
/** @type {Map<string, string>} */
const paymentOf = new Map();

/** @param {string} step @param {Iterable<string>} ids @param {number} [at] ms since the epoch */
function mark(step, ids, at = now()) {
  const known = [...new Set(ids)];
  if (known.length > 0) lines.push(JSON.stringify({ step: `${TRACE_PROCESS}: ${step}`, at, ids: known }));
}

/** @param {unknown} value */
function idsIn(value) {
  if (typeof value === 'string') return value.match(PAYMENT) ?? [];
  if (Buffer.isBuffer(value)) return value.toString('latin1').match(PAYMENT) ?? [];
  if (typeof value !== 'object' || value === null) return [];
  return JSON.stringify(value, (_key, inner) => (inner?.type === 'Buffer' ? undefined : inner)).match(PAYMENT) ?? [];
}

/** Notes the payment of each transaction, from every insert and every document that is read. @param {any} document */
function rememberTransactions(document) {
  for (const tx of document?.transactions ?? []) paymentOf.set(tx.id, String(document._id));
}

let inner = false;
const collection = /** @type {any} */ (mongoose.mongo.Collection.prototype);
for (const name of OPERATIONS) {
  const original = collection[name];
  collection[name] = async function traced(/** @type {unknown[]} */ ...args) {
    if (this.collectionName !== 'payments' || inner) return original.apply(this, args);
    if (name.startsWith('insert')) for (const document of [args[0]].flat()) rememberTransactions(document);
    const ids = idsIn(args[0]);
    mark(`${name} sent`, ids);
    // The driver builds some operations from others, in the same call: only the outer one is a step.
    inner = true;
    const pendingResult = original.apply(this, args);
    inner = false;
    const result = await pendingResult;
    mark(`${name} answered`, ids);
    rememberTransactions(result);
    return result;
  };
}
const find = collection.find;
collection.find = function traced(/** @type {unknown[]} */ ...args) {
  const cursor = find.apply(this, args);
  if (this.collectionName !== 'payments') return cursor;
  const { toArray } = cursor;
  cursor.toArray = async () => {
    const ids = idsIn(args[0]);
    mark('find sent', ids);
    const documents = await toArray.call(cursor);
    mark('find answered', ids);
    for (const document of documents) rememberTransactions(document);
    return documents;
  };
  return cursor;
};

const redis = /** @type {any} */ (Redis.prototype);
const { sendCommand, emit } = redis;
redis.sendCommand = function traced(/** @type {any} */ command, /** @type {unknown[]} */ ...rest) {
  const ids = (command.args ?? []).flatMap(idsIn);
  mark(command.name === 'publish' ? 'reply published' : 'nudge sent', ids);
  const promise = sendCommand.call(this, command, ...rest);
  if (ids.length === 0 && TRACE_PROCESS === 'worker') {
    Promise.resolve(command.promise).then(
      (result) => mark('nudge taken', idsIn(result)),
      () => {},
    );
  }
  return promise;
};
redis.emit = function traced(/** @type {unknown} */ event, /** @type {unknown[]} */ ...args) {
  if (event === 'message') mark('reply received', idsIn(args[1]));
  return emit.call(this, event, ...args);
};

/** Finds the payment of a request to the processor. @param {any} message */
const ownerOf = ({ request }) => {
  const id = paymentOf.get(TRANSACTION.exec(String(request.body ?? ''))?.[0] ?? '');
  return id === undefined ? [] : [id];
};
/** @type {WeakMap<object, string[]>} */
const owners = new WeakMap();
subscribe('undici:request:create', (/** @type {any} */ message) => {
  owners.set(message.request, ownerOf(message));
  mark('processor called', owners.get(message.request) ?? []);
});
subscribe('undici:request:trailers', (/** @type {any} */ message) => {
  mark('processor answered', owners.get(message.request) ?? []);
});

/** @type {WeakMap<object, number>} */
const arrived = new WeakMap();
subscribe('http.server.request.start', (/** @type {any} */ { response }) => arrived.set(response, now()));
const { end } = ServerResponse.prototype;
ServerResponse.prototype.end = /** @type {any} */ (
  /** @this {ServerResponse} */
  function traced(/** @type {any} */ ...args) {
    const ids = idsIn(args[0]).slice(0, 1);
    mark('request', ids, arrived.get(this));
    mark('answered', ids);
    return end.apply(this, args);
  }
);

const flush = () => {
  if (lines.length > 0) appendFileSync(TRACE_FILE, `${lines.join('\n')}\n`);
  lines = [];
};
setInterval(flush, FLUSH_MS).unref();
process.on('exit', flush);
