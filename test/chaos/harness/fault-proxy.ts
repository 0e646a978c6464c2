/**
 * A proxy between the workers and the test processor that decides by the amount what happens to a request: forwarded at once,
 * forwarded and answered much later, or held back. So a test can kill a worker at an exact point of a call.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { CONNECTION_REFUSED, SIMULATED_HEADER } from '../../../shared/processors/sandbox/wire.js';

/**
 * `hold-answer`: executed at the processor, but the answer is held back. `hold-request`: taken from the worker, but not yet at the processor.
 * `refuse-first`: the processor `sandbox` is unreachable, the others are not.
 */
export type Treatment = 'pass' | 'hold-answer' | 'hold-request' | 'refuse-first';

export interface FaultProxy {
  readonly url: string;
  /** Sets the treatment of amounts (minor units) that do not simply pass, until `disarm`. */
  arm(treatments: ReadonlyMap<number, Treatment>): void;
  disarm(): void;
  /** Keys of the operations that were held back since `arm`. */
  readonly held: readonly { readonly key: string; readonly treatment: Treatment }[];
  /** Forwards selected requests that were held back to the processor, although no caller waits for the answer any more. */
  release(which: (key: string) => boolean): Promise<void>;
  close(): Promise<void>;
}

/** A call that was held back. */
interface HeldCall {
  readonly key: string;
  readonly treatment: Treatment;
  forward?: () => Promise<unknown>;
}

const HOLD_MS = 20_000;

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Starts the proxy in front of `target`, which may not listen yet. */
export async function startFaultProxy(target: () => string): Promise<FaultProxy> {
  let treatments: ReadonlyMap<number, Treatment> = new Map();
  const held: HeldCall[] = [];

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = await readText(request);
    const { key = '', amountMinor = 0 } = text ? (JSON.parse(text) as { key?: string; amountMinor?: number }) : {};
    const forward = () =>
      fetch(`${target()}${request.url}`, { method: request.method ?? 'GET', ...(text && { body: text }) });
    const operation = request.method === 'POST' && !request.url?.endsWith('/reversals');
    const treatment = (operation && treatments.get(amountMinor)) || 'pass';
    if (treatment === 'hold-request') {
      held.push({ key, treatment, forward });
      return;
    }
    if (treatment === 'refuse-first' && request.url?.startsWith('/idempotent/')) {
      response.writeHead(503, { [SIMULATED_HEADER]: CONNECTION_REFUSED }).end('{}');
      return;
    }
    const answer = await forward();
    const body = await answer.text();
    if (treatment === 'hold-answer') {
      held.push({ key, treatment });
      await pause(HOLD_MS, undefined, { ref: false });
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(body);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held,
    arm: (given) => {
      held.length = 0;
      treatments = given;
    },
    disarm: () => {
      treatments = new Map();
    },
    release: async (which) => {
      await Promise.all(held.map(({ key, forward }) => (which(key) ? forward?.() : undefined)));
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
