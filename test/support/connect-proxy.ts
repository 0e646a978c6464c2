/** A real HTTP proxy that only supports CONNECT. */
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { TestCertificate } from './make-certificate.js';

export interface ConnectProxy {
  readonly port: number;
  /** CONNECT requests in order: authority and credentials. */
  readonly asked: { readonly authority: string; readonly credentials: string | undefined }[];
  /** Number of TCP connections that reached the proxy. */
  connections(): number;
  close(): Promise<void>;
}

/**
 * @param answer the status; with `silent` the proxy never answers
 * @param route returns where a connection really goes: tests have no public addresses
 */
export async function startConnectProxy({
  answer = 200,
  route = (authority) => authority,
  tls,
}: {
  answer?: number | 'silent';
  route?: (authority: string) => string;
  tls?: TestCertificate;
} = {}): Promise<ConnectProxy> {
  const asked: ConnectProxy['asked'] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = tls ? createTlsServer(tls) : createServer();
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket.on('error', () => undefined));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const authority = request.url ?? '';
    asked.push({ authority, credentials: request.headers['proxy-authorization'] });
    if (answer === 'silent') return;
    if (answer !== 200) return void socket.end(`HTTP/1.1 ${answer} No\r\n\r\n`);
    const target = new URL(`tcp://${route(authority)}`);
    const upstream = connect(Number(target.port), target.hostname, () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    sockets.add(upstream.on('error', () => socket.destroy()));
    socket.on('error', () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    asked,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
