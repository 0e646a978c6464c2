/** HTTP servers that misbehave, for tests of any adapter that speaks HTTP. Each must be closed. */
import { createServer, type IncomingMessage, type RequestListener, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Peer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

export async function startPeer(listener: RequestListener): Promise<Peer> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An address at which nothing listens. A port that was free a moment ago could be taken by another suite; this one is never given out. */
export const closedAddress = 'http://127.0.0.1:1';

function forward(target: string, from: IncomingMessage, onAnswer: (status: number, text: string) => void): void {
  const onward = request(target + from.url, { method: from.method, headers: from.headers }, (answer) => {
    let text = '';
    answer.setEncoding('utf8');
    answer.on('data', (chunk: string) => {
      text += chunk;
    });
    answer.on('end', () => onAnswer(answer.statusCode ?? 0, text));
  });
  from.pipe(onward);
}

/** Forwards requests to `target` and changes the answers, and their status when `statusOverride` is given. */
export function startTamperingPeer(
  target: string,
  change: (text: string) => string,
  statusOverride?: number,
): Promise<Peer> {
  return startPeer((from: IncomingMessage, to: ServerResponse) => {
    forward(target, from, (status, text) => {
      to.writeHead(statusOverride ?? status, { 'content-type': 'application/json' }).end(change(text));
    });
  });
}
