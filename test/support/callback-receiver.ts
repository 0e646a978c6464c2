/** A receiver of callbacks that keeps what it gets. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { PATIENCE_MS, waitFor } from './patience.js';

export interface ReceivedPayment {
  readonly id: string;
  readonly status: string;
  readonly code?: object;
  readonly threeDS?: { readonly error?: string };
  readonly transactions: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
}

export async function receiveCallbacks() {
  const received: { event: string; body: ReceivedPayment }[] = [];
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      received.push({ event: String(request.headers['gateway-event-id']), body: JSON.parse(text) });
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const of = (id: string) => received.filter(({ body }) => body.id === id);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callbacks`,
    /** Returns the callbacks about the payment so far. */
    of: (id: string) => of(id).map(({ body }) => body),
    events: (id: string) => of(id).map(({ event }) => event),
    /** Waits until this many callbacks about the payment have arrived, and returns them. */
    async wait(id: string, count: number, withinMs = PATIENCE_MS): Promise<ReceivedPayment[]> {
      const giveUpAt = Date.now() + withinMs;
      while (of(id).length < count && Date.now() < giveUpAt) await pause(25);
      return of(id).map(({ body }) => body);
    },
    /**
     * Waits for a callback with this status, and returns the callbacks about the payment from it on. Those before it are left out: when
     * the machine is slow, the caller of an earlier call gets `pending`, and its outcome is announced too.
     */
    async since(id: string, status: string): Promise<ReceivedPayment[]> {
      const find = () => of(id).findIndex(({ body }) => body.status === status);
      const first = await waitFor(find, (index) => index >= 0, `a callback about ${id} with status ${status}`);
      return of(id)
        .slice(first)
        .map(({ body }) => body);
    },
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}
