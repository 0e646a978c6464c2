/** Process that sends payments in a closed loop with a fixed number in flight, for a duration or a number, and reports the answers. */

import { setTimeout as sleep } from 'node:timers/promises';
import { answerRequests } from '../child.mjs';
import { percentile } from '../measure/statistics.mjs';
import { createConnection } from './connection.mjs';
import { DECLINED_CARD, requestTemplate, SERIAL_DIGITS } from './payment-request.mjs';

/** Time within which an idle server accepts a connection (ms). */
const ACCEPT_MS = 100;

/**
 * @typedef {object} LoadOrder
 * @property {number} port
 * @property {string} authorization header
 * @property {string} run unique name; part of every reference
 * @property {number} conc
 * @property {number} [ms] how long new requests are sent; those in flight are awaited
 * @property {number} [count] how many requests are sent instead
 * @property {number} [rampMs] answers before this are counted, but not part of the figures; callers begin one after
 *   another in its first half, as payers do: callers that begin at the same moment would stay in step with the processor
 * @property {number} [declineEvery] one request in this many uses a card that is declined
 * @property {string} [callbackUrl]
 */

/**
 * @typedef {object} LoadReport
 * @property {number} rate answers per second between the ramp and the end
 * @property {number} p50 ms
 * @property {number} p95 ms
 * @property {number} p99 ms
 * @property {Record<string, number>} answers number of all answers by status; `error` counts broken connections
 */

/**
 * Opens all connections before anything is measured. Node accepts one connection in each turn of its event loop, so that 256
 * connections take seconds when it is busy. During that time there would be fewer callers than `conc`.
 * @param {LoadOrder} order @returns {Promise<LoadReport>}
 */
async function run(order) {
  const { conc, ms = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY, rampMs = 0, declineEvery = 0 } = order;
  const approve = requestTemplate(order);
  const decline = requestTemplate({ ...order, card: DECLINED_CARD });
  /** @type {number[]} */
  const latencies = [];
  /** @type {Record<string, number>} */
  const answers = {};
  /** @type {((status: number) => void)[]} */
  const answered = [];
  const connections = Array.from({ length: conc }, (_, index) =>
    createConnection(order.port, (status) => answered[index]?.(status)),
  );
  await Promise.all(connections.map(({ open }) => open()));
  await sleep(ACCEPT_MS);
  const startedAt = performance.now();
  const endAt = startedAt + ms;
  const figuresFrom = startedAt + rampMs;
  let serial = 0;
  let lastAt = startedAt;

  /**
   * Runs one caller, which sends the next request when the answer to the last one has arrived.
   * @param {ReturnType<typeof createConnection>} connection @param {number} index @returns {Promise<void>}
   */
  const caller = (connection, index) =>
    new Promise((resolve) => {
      // A copy of the bytes: a request must not change while it is being sent.
      const own = [approve, decline].map(({ bytes, serialAt }) => ({ bytes: Buffer.from(bytes), serialAt }));
      let sentAt = 0;
      const next = () => {
        const now = performance.now();
        if (now >= endAt || serial >= count) {
          connection.close();
          resolve();
          return;
        }
        serial += 1;
        const which = declineEvery > 0 && serial % declineEvery === 0 ? own[1] : own[0];
        if (!which) throw new Error('there is no such request');
        which.bytes.write(String(serial).padStart(SERIAL_DIGITS, '0'), which.serialAt, 'latin1');
        sentAt = now;
        connection.send(which.bytes);
      };
      answered[index] = (status) => {
        const now = performance.now();
        const key = status === 0 ? 'error' : String(status);
        answers[key] = (answers[key] ?? 0) + 1;
        if (now >= figuresFrom && now < endAt) {
          latencies.push(now - sentAt);
          lastAt = now;
        }
        next();
      };
      setTimeout(next, (index / conc) * (rampMs / 2));
    });

  await Promise.all(connections.map(caller));
  // With `ms` the duration of the window counts, with `count` the time that the requests took.
  const seconds = ((Number.isFinite(endAt) ? endAt : lastAt) - figuresFrom) / 1_000;
  return {
    rate: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    answers,
  };
}

answerRequests({ run });
