/** Process: sends payments in a closed loop, so many in flight, for so long or so many, and reports what came back. */

import { setTimeout as sleep } from 'node:timers/promises';
import { answerAsks } from '../child.mjs';
import { percentile } from '../measure/statistics.mjs';
import { createConnection } from './connection.mjs';
import { DECLINED_CARD, requestTemplate, SERIAL_DIGITS } from './payment-request.mjs';

/** A server that has nothing else to do accepts within this (ms). */
const ACCEPT_MS = 100;

/**
 * @typedef {object} LoadOrder
 * @property {number} port
 * @property {string} authorization header
 * @property {string} run unique; part of every reference
 * @property {number} conc
 * @property {number} [ms] how long requests are begun; those in flight are waited for
 * @property {number} [count] or how many requests are sent
 * @property {number} [rampMs] answers before this are not part of the figures, only of the counts; callers begin one after
 *   another in its first half, as payers do: those who begin in the same moment stay in step for as long as the processor takes
 * @property {number} [declineEvery] every so many requests use a card that is declined
 * @property {string} [callbackUrl]
 */

/**
 * @typedef {object} LoadReport
 * @property {number} rate answers per second between the ramp and the end
 * @property {number} p50 ms
 * @property {number} p95 ms
 * @property {number} p99 ms
 * @property {Record<string, number>} answers all of them, by status; `error` counts broken connections
 */

/**
 * The connections are open before anything is measured: Node accepts one in each turn of its event loop, so that 256 of them
 * take seconds when it is busy, and so long there would be fewer callers than `conc`.
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
   * One caller: sends the next request when the answer of the last one came.
   * @param {ReturnType<typeof createConnection>} connection @param {number} index @returns {Promise<void>}
   */
  const caller = (connection, index) =>
    new Promise((resolve) => {
      // Bytes of its own: a request must not change while it is on its way.
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
  // By time, the length of the window counts; by count, the time that it took.
  const seconds = ((Number.isFinite(endAt) ? endAt : lastAt) - figuresFrom) / 1_000;
  return {
    rate: latencies.length / seconds,
    p50: percentile(latencies, 0.5),
    p95: percentile(latencies, 0.95),
    p99: percentile(latencies, 0.99),
    answers,
  };
}

answerAsks({ run });
