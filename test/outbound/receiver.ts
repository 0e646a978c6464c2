import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';

export interface Received {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly atMs: number;
}

/** A real HTTP server on a loopback address that keeps what it was sent. */
export interface Receiver {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  readonly received: Received[];
  /** TCP connections that reached it. */
  connections(): number;
  /** The most requests that were open at once. */
  inFlightMax(): number;
  close(): Promise<void>;
}

const listen = (server: Server | ReturnType<typeof createTcpServer>, address: string) =>
  new Promise<number>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, address, () => resolve((server.address() as AddressInfo).port));
  });

/** `answer` is called when the whole request was read. */
export async function startReceiver(
  answer: RequestListener = (_request, response) => void response.end('ok'),
  address = '127.0.0.1',
): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  let inFlight = 0;
  let inFlightMax = 0;
  const server = createServer((request, response) => {
    inFlight += 1;
    inFlightMax = Math.max(inFlightMax, inFlight);
    response.once('close', () => {
      inFlight -= 1;
    });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      received.push({ method, url, headers, body: Buffer.concat(chunks).toString(), atMs: performance.now() });
      answer(request, response);
    });
  });
  server.on('connection', () => {
    connections += 1;
  });
  const port = await listen(server, address);
  const host = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  return {
    url: `http://${host}/hook?key=1`,
    host,
    port,
    received,
    connections: () => connections,
    inFlightMax: () => inFlightMax,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A raw TCP server: `talk` does what it likes with each connection. */
export async function startRawServer(talk: (socket: Socket) => void) {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  const port = await listen(server, '127.0.0.1');
  return {
    port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
