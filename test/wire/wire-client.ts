/** Requests that no client library would send: bytes as they are, over a socket of their own. */
import net from 'node:net';
import type { TestGateway } from '../support/gateway.js';

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number;
  readonly text: string;
  /** How many answers came back: a smuggled request would show as a second one. */
  readonly answers: number;
  /** The server closed the connection by itself. */
  readonly closed: boolean;
}

const SILENCE_MS = 400;

/** Sends the bytes and collects what comes back until the server closes, or nothing more comes for `silenceMs`. */
export function sendRaw(baseUrl: string, bytes: string | Buffer, silenceMs = SILENCE_MS): Promise<RawAnswer> {
  const { port, hostname } = new URL(baseUrl);
  return new Promise((resolve, reject) => {
    const socket = net.connect({ port: Number(port), host: hostname });
    let text = '';
    let silence: NodeJS.Timeout | undefined;
    const finish = (closed: boolean) => {
      clearTimeout(silence);
      socket.destroy();
      const statuses = [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
      resolve({ status: statuses[0] ?? 0, text, answers: statuses.length, closed });
    };
    const listen = () => {
      clearTimeout(silence);
      silence = setTimeout(() => finish(false), silenceMs);
    };
    socket.on('connect', () => {
      socket.write(bytes);
      listen();
    });
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      listen();
    });
    socket.on('end', () => finish(true));
    // A reset after the answer is a close like any other.
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNRESET' ? finish(true) : reject(error)));
  });
}

/** The `Authorization` value of the sandbox's first client. */
export const basic = ({ sandbox }: TestGateway) =>
  `Basic ${Buffer.from(`${sandbox.clientId}:${sandbox.apiKey}`).toString('base64')}`;

/** Suites that send hundreds of requests, many of them without a right, are not about the limits on them. */
export const withoutLimits = {
  API_WRITES_PER_SECOND: '0',
  API_READS_PER_SECOND: '0',
  SIGN_IN_FAILURES_PER_MINUTE: '0',
  MERCHANT_MISSES_PER_MINUTE: '0',
};
