/** A proxy between the adapter and the test processor: keeps the adapter's requests, and can change the answers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

// biome-ignore lint/suspicious/noExplicitAny: tests look into requests of every shape.
type Body = any;

export interface Recorded {
  /** `authorizations`, `captures`, …: the last part of the path. */
  readonly path: string;
  readonly body: Body;
}

export interface RecordingProcessor {
  readonly url: string;
  readonly requests: readonly Recorded[];
  /** Returns the newest request to this path. */
  last(path: string): Body;
  /** Sets where requests are forwarded to. */
  forwardTo(url: string): void;
  /** Changes answers from now on. `undefined` leaves them unchanged. */
  answer(change: ((path: string, answer: Body) => Body) | undefined): void;
  /** Holds back all answers until the returned function is called: an outcome is late for sure, however slow the machine is. */
  hold(): () => void;
  close(): Promise<void>;
}

export async function startRecordingProcessor(): Promise<RecordingProcessor> {
  const requests: Recorded[] = [];
  let target = '';
  let change: ((path: string, answer: Body) => Body) | undefined;
  let released: Promise<void> | undefined;
  const server = createServer((request, response) => {
    const forward = async () => {
      const { method = 'GET', url = '' } = request;
      const sent = await text(request);
      const path = url.split('/').at(-1) ?? '';
      if (method === 'POST') requests.push({ path, body: JSON.parse(sent) });
      const answer = await fetch(target + url, {
        method,
        ...(method === 'POST' && { body: sent, headers: { 'content-type': 'application/json' } }),
      });
      const said = await answer.text();
      await released;
      const changed = change && said ? JSON.stringify(change(path, JSON.parse(said))) : said;
      const simulated = answer.headers.get('x-simulated');
      response.writeHead(answer.status, {
        'content-type': 'application/json',
        ...(simulated !== null && { 'x-simulated': simulated }),
      });
      response.end(changed);
    };
    forward().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    last: (path) => requests.findLast((request) => request.path === path)?.body,
    forwardTo(url) {
      target = url;
    },
    answer(next) {
      change = next;
    },
    hold() {
      let release = (): void => undefined;
      released = new Promise((resolve) => {
        release = resolve;
      });
      return () => release();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
