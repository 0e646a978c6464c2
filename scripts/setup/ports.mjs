/** Finds TCP ports that are free on this machine. */
import { randomInt } from 'node:crypto';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Problem } from './problem.mjs';

const LOOPBACK = '127.0.0.1';
const POLL_MS = 25;

/**
 * Listens for a moment. Returns the port it got, or the error code of the refusal.
 * @param {number} port 0 for any
 * @param {string} host
 * @returns {Promise<{ port: number } | { code: string }>}
 */
function tryPort(port, host) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once('error', (error) =>
      resolve({ code: /** @type {NodeJS.ErrnoException} */ (error).code ?? 'EADDRINUSE' }),
    );
    server.listen({ port, host, exclusive: true }, () => {
      const address = /** @type {net.AddressInfo} */ (server.address());
      server.close(() => resolve({ port: address.port }));
    });
  });
}

/**
 * Ports below the range that systems use for outgoing connections and for listeners on port 0 (Linux: from 32768, others: from 49152,
 * RFC 6335 section 6). A port of that range can be taken between the moment it was found free and the moment its new owner listens.
 */
const PORT_FROM = 20_000;
const PORT_TO = 32_767;
const TRIES = 200;

/** Ports that this process has tried or handed out: without this set it could draw a port again before its new owner listens. */
const usedPorts = new Set();

/**
 * Finds a free port.
 * @returns {Promise<number>}
 * @throws {Problem} when none of `TRIES` ports was free
 */
export async function freePort() {
  let code = 'tried before';
  for (let tries = 0; tries < TRIES; tries += 1) {
    const port = randomInt(PORT_FROM, PORT_TO + 1);
    if (usedPorts.has(port)) continue;
    usedPorts.add(port);
    const got = await tryPort(port, LOOPBACK);
    if ('port' in got) return port;
    code = got.code;
  }
  throw new Problem(
    `No TCP port of ${TRIES} tried between ${PORT_FROM} and ${PORT_TO} is free on ${LOOPBACK} (${code}).`,
  );
}

/**
 * Returns the preferred port if it is free, else any free port.
 * @param {number} preferred
 * @param {string} [host]
 */
export async function preferPort(preferred, host = LOOPBACK) {
  const got = await tryPort(preferred, host);
  return 'port' in got ? preferred : freePort();
}

/**
 * Makes a program that can change its port. When it ends before it serves, because another process took the port meanwhile, it starts
 * again on another one.
 * @param {number} port
 * @param {(port: number) => import('./program.mjs').Program} make
 * @param {(port: number) => void} onMove gets the other port
 * @returns {import('./program.mjs').Program}
 */
export function withPortFallback(port, make, onMove) {
  const nextProgram = async () => {
    const other = await preferPort(port);
    if (other === port) return undefined;
    onMove(other);
    return withPortFallback(other, make, onMove);
  };
  return { ...make(port), nextProgram };
}

/**
 * @param {number} port
 * @param {string} host
 * @throws {Problem} that proposes another PORT, when the port cannot be had
 */
export async function requirePort(port, host) {
  const got = await tryPort(port, host);
  if ('port' in got) return;
  if (got.code === 'EADDRINUSE') {
    throw new Problem(
      `Port ${port} is taken by another program: choose another one, for example \`PORT=${port + 1} npm start\`.`,
    );
  }
  if (got.code === 'EACCES') {
    throw new Problem(
      `This user may not listen on port ${port}: choose one above 1023, for example \`PORT=8081 npm start\`.`,
    );
  }
  throw new Problem(`The API cannot listen on HOST=${host} PORT=${port} (${got.code}).`);
}

/**
 * Resolves once something accepts connections on the port.
 * @param {number} port
 * @param {AbortSignal} signal ends the wait with its reason
 */
export async function awaitPort(port, signal) {
  for (;;) {
    signal.throwIfAborted();
    if (await accepts(port)) return;
    await sleep(POLL_MS);
  }
}

/** @param {number} port @returns {Promise<boolean>} */
function accepts(port) {
  return new Promise((resolve) => {
    const socket = net.connect({ port, host: LOOPBACK });
    const settle = (/** @type {boolean} */ answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => settle(true));
    socket.once('error', () => settle(false));
  });
}
