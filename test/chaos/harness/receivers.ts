/** A set of callback receivers, one per address of the loopback network, each with a different behaviour. */
import { appendFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Random } from './random.js';

export type ReceiverBehaviour = 'good' | 'flaky' | 'slow';

export interface Received {
  readonly behaviour: ReceiverBehaviour;
  readonly at: number;
  readonly eventId: string;
  readonly seq: number;
  readonly paymentId: string;
  readonly status: string;
  /** Status that the receiver answered with. */
  readonly answeredStatus: number;
}

export interface Receivers {
  readonly urls: readonly string[];
  readonly received: readonly Received[];
  close(): Promise<void>;
}

const FLAKY_SHARE = 0.3;
/** How often an event is refused at most: more refusals would only make the run wait for the retry schedule. */
const FLAKY_TIMES_MAX = 2;
const SLOW_MS = 1_000;

const receiverSpecs: readonly { host: string; behaviour: ReceiverBehaviour }[] = [
  { host: '127.0.0.11', behaviour: 'good' },
  { host: '127.0.0.12', behaviour: 'good' },
  { host: '127.0.0.13', behaviour: 'flaky' },
  { host: '127.0.0.14', behaviour: 'slow' },
];

/** Starts the receivers. `bodiesFile`: every body, with its headers, is appended to it. */
export async function startReceivers(random: Random, bodiesFile: string): Promise<Receivers> {
  const received: Received[] = [];
  const servers: Server[] = [];
  const urls: string[] = [];
  for (const { host, behaviour } of receiverSpecs) {
    const own = random.fork(host);
    const refusals = new Map<string, number>();
    const refuses = (eventId: string) => {
      const times = refusals.get(eventId) ?? 0;
      if (behaviour !== 'flaky' || times >= FLAKY_TIMES_MAX || own.next() >= FLAKY_SHARE) return false;
      refusals.set(eventId, times + 1);
      return true;
    };
    const server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        appendFileSync(bodiesFile, `${JSON.stringify(request.headers)}\n${text}\n`);
        const { id, status } = JSON.parse(text) as { id: string; status: string };
        const header = (name: string) => String(request.headers[name] ?? '');
        const answered = refuses(header('gateway-event-id')) ? 500 : 200;
        received.push({
          behaviour,
          at: Date.now(),
          eventId: header('gateway-event-id'),
          seq: Number(header('gateway-resource-version')),
          paymentId: id,
          status,
          answeredStatus: answered,
        });
        response.statusCode = answered;
        setTimeout(() => response.end(), behaviour === 'slow' ? SLOW_MS : 0);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    servers.push(server);
    urls.push(`http://${host}:${(server.address() as AddressInfo).port}/callbacks`);
  }
  return {
    urls,
    received,
    close: async () => {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}
