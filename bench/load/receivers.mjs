/**
 * Receivers of callbacks for `npm run callbacks`, one per host, which check order, repetitions and concurrency. They are plain
 * sockets: a server of `node:http` would use twice the processor time, of cores that are shared with the measured process.
 */
import { createServer } from 'node:net';
import { answerRequests } from '../child.mjs';

/**
 * @typedef {object} ReceiverReport
 * @property {number} received
 * @property {number} repeated callbacks that arrived again
 * @property {number} disordered callbacks that arrived before an earlier one of their payment
 * @property {number} hostMax maximum under way at one host
 * @property {number} clientMax maximum of one client under way at one host
 * @property {readonly number[]} atMs arrivals, ascending (ms since the epoch)
 */

const HEAD_END = '\r\n\r\n';
const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\nKeep-Alive: timeout=60\r\n\r\n';
/** How long to wait for more after the last arrival. */
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
function recordArrival(paymentId, seq) {
  const last = round.seqs.get(paymentId) ?? 0;
  if (seq <= last) round.repeated += 1;
  else {
    if (seq > last + 1) round.disordered += 1;
    round.seqs.set(paymentId, seq);
    round.atMs.push(performance.timeOrigin + performance.now());
  }
  if (round.atMs.length >= round.expected) wake();
}

/**
 * Reads a request's length and path. Undefined while the request is incomplete.
 * @param {Buffer} bytes
 */
function readRequest(bytes) {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength < 0) return undefined;
  const head = bytes.toString('latin1', 0, headLength);
  const length = headLength + HEAD_END.length + Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  if (bytes.length < length) return undefined;
  const [, client = '', paymentId = '', seq = ''] = head.slice(0, head.indexOf(' HTTP/')).split('/');
  return { length, client, paymentId, seq: Number(seq) };
}

/** Starts one host. The path says whose callback it is: `/<client>/<payment>/<seq>`. @returns {Promise<number>} its port */
function startHost() {
  let inFlight = 0;
  /** @type {Map<string, number>} */
  const inFlightByClient = new Map();
  const count = (/** @type {string} */ client, /** @type {1 | -1} */ by) => {
    inFlight += by;
    inFlightByClient.set(client, (inFlightByClient.get(client) ?? 0) + by);
    round.hostMax = Math.max(round.hostMax, inFlight);
    round.clientMax = Math.max(round.clientMax, inFlightByClient.get(client) ?? 0);
  };
  const server = createServer({ noDelay: true }, (socket) => {
    /** @type {Buffer | undefined} */
    let partial;
    const onData = (/** @type {Buffer} */ chunk) => {
      const bytes = partial ? Buffer.concat([partial, chunk]) : chunk;
      const request = readRequest(bytes);
      partial = request ? undefined : bytes;
      if (!request) return;
      count(request.client, 1);
      const answer = () => {
        recordArrival(request.paymentId, request.seq);
        count(request.client, -1);
        if (!socket.destroyed) socket.write(ANSWER);
        if (bytes.length > request.length) onData(bytes.subarray(request.length));
      };
      if (answerMs > 0) setTimeout(answer, answerMs);
      else answer();
    };
    socket.on('data', onData).on('error', () => {});
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(/** @type {import('node:net').AddressInfo} */ (server.address()).port));
  });
}

/** @type {Set<import('node:net').Socket>} */
const deadSockets = new Set();

/**
 * Starts one dead host: it accepts connections and never answers, or it refuses them.
 * @param {'hangs' | 'refuses'} how
 * @returns {Promise<number>} its port
 */
function startDeadHost(how) {
  const server = createServer((socket) => {
    deadSockets.add(socket);
    socket
      .on('error', () => {})
      .on('close', () => deadSockets.delete(socket))
      .resume();
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
      if (how === 'refuses') server.close(() => resolve(port));
      else resolve(port);
    });
  });
}

/** Resolves when all expected callbacks have arrived, or when none has arrived for a while. */
async function awaitCallbacks() {
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

/**
 * @typedef {object} Order one of these
 * @property {{ hosts: number, answerMs: number }} [open] starts hosts and returns their ports
 * @property {'hangs' | 'refuses'} [openDead] starts a dead host and returns its port
 * @property {number} [expect] begins a round
 * @property {boolean} [drained] waits for the end of the round and returns its report
 * @property {boolean} [hangUp] closes the connections of a dead host
 */

answerRequests({
  run: async (/** @type {Order} */ order) => {
    if (order.open) {
      answerMs = order.open.answerMs;
      return Promise.all(Array.from({ length: order.open.hosts }, startHost));
    }
    if (order.openDead) return startDeadHost(order.openDead);
    if (order.drained) return awaitCallbacks();
    if (order.hangUp) for (const socket of deadSockets) socket.destroy();
    if (order.expect !== undefined) round = newRound(order.expect);
    return undefined;
  },
});
