/** Receivers of callbacks for `npm run callbacks`: as many hosts as are asked for, which notice order, repeats and crowds. */
import { createServer } from 'node:http';
import { answerAsks } from '../child.mjs';

/**
 * @typedef {object} ReceiverReport
 * @property {number} received
 * @property {number} repeated came once more
 * @property {number} disordered came before an earlier one of its payment
 * @property {number} hostMax the most that were under way at one host
 * @property {number} clientMax the most of one client that were under way at one host
 * @property {readonly number[]} atMs arrivals, ascending (ms)
 */

/** How long after the last arrival more is expected. */
const SILENCE_MS = 20_000;

const newRound = (expected = Number.POSITIVE_INFINITY) => ({
  expected,
  /** @type {Map<string, number>} highest sequence number by payment */
  seqs: new Map(),
  /** @type {number[]} */
  atMs: [],
  repeated: 0,
  disordered: 0,
  hostMax: 0,
  clientMax: 0,
});
let round = newRound();
let answerMs = 0;
/** @type {() => void} */
let wake = () => {};

/** @param {string} paymentId @param {number} seq */
function arrive(paymentId, seq) {
  const last = round.seqs.get(paymentId) ?? 0;
  if (seq <= last) round.repeated += 1;
  else {
    if (seq > last + 1) round.disordered += 1;
    round.seqs.set(paymentId, seq);
    round.atMs.push(performance.now());
  }
  if (round.atMs.length >= round.expected) wake();
}

/** One host. The path says whose callback it is: `/<client>/<payment>/<seq>`. @returns {Promise<number>} its port */
function startHost() {
  let atHost = 0;
  /** @type {Map<string, number>} */
  const ofClient = new Map();
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    const [, client = '', paymentId = '', seq = ''] = (request.url ?? '').split('/');
    const count = (/** @type {1 | -1} */ by) => {
      atHost += by;
      ofClient.set(client, (ofClient.get(client) ?? 0) + by);
    };
    count(1);
    round.hostMax = Math.max(round.hostMax, atHost);
    round.clientMax = Math.max(round.clientMax, ofClient.get(client) ?? 0);
    const answer = () => {
      arrive(paymentId, Number(seq));
      count(-1);
      response.writeHead(200, { 'content-length': 0 }).end();
    };
    request.resume().once('end', () => (answerMs > 0 ? setTimeout(answer, answerMs) : answer()));
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port));
  });
}

/** Resolves when all that is expected has come, or when nothing has come for a while. */
async function drained() {
  while (round.atMs.length < round.expected) {
    const before = round.atMs.length;
    /** @type {NodeJS.Timeout | undefined} */
    let timer;
    await new Promise((resolve) => {
      wake = () => resolve(undefined);
      timer = setTimeout(resolve, SILENCE_MS);
    });
    clearTimeout(timer);
    if (round.atMs.length === before) break;
  }
  const { repeated, disordered, hostMax, clientMax, atMs } = round;
  return { received: atMs.length, repeated, disordered, hostMax, clientMax, atMs };
}

answerAsks({
  run: async (/** @type {{ hosts?: number, answerMs?: number, expect?: number, drained?: boolean }} */ order) => {
    if (order.hosts) {
      answerMs = order.answerMs ?? 0;
      return Promise.all(Array.from({ length: order.hosts }, startHost));
    }
    if (order.drained) return drained();
    round = newRound(order.expect);
    return undefined;
  },
});
