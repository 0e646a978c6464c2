/** A real HTTP proxy that only supports CONNECT, and a certificate for a receiver behind it. */
import { webcrypto } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { Integer, Utf8String } from 'asn1js';
import { AttributeTypeAndValue, Certificate, Extension, GeneralName, GeneralNames } from 'pkijs';

const DAY_MS = 24 * 3_600_000;

export interface TestCertificate {
  readonly cert: string;
  readonly key: string;
}

const pem = (label: string, bytes: ArrayBuffer | Buffer) =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes as Buffer).toString('base64')}\n-----END ${label}-----\n`;

/**
 * Makes a self-signed certificate for this name. A client that has it as `ca` accepts it.
 * @param days how long it lasts
 */
export async function makeCertificate(name: string, days = 365): Promise<TestCertificate> {
  const keys = await webcrypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const certificate = new Certificate();
  certificate.version = 2;
  certificate.serialNumber = new Integer({ value: 1 });
  for (const names of [certificate.subject, certificate.issuer]) {
    names.typesAndValues.push(
      new AttributeTypeAndValue({ type: '2.5.4.3', value: new Utf8String({ value: name }) as never }),
    );
  }
  certificate.notBefore.value = new Date(Date.now() - 365 * DAY_MS);
  certificate.notAfter.value = new Date(Date.now() + days * DAY_MS);
  const names = new GeneralNames({ names: [new GeneralName({ type: 2, value: name })] });
  certificate.extensions = [new Extension({ extnID: '2.5.29.17', extnValue: names.toSchema().toBER(false) })];
  await certificate.subjectPublicKeyInfo.importKey(keys.publicKey as never);
  await certificate.sign(keys.privateKey as never, 'SHA-256');
  const key = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return { cert: pem('CERTIFICATE', certificate.toSchema().toBER(false)), key: pem('PRIVATE KEY', key) };
}

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
