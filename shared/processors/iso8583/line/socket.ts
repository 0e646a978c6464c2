import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { iso8583Limits } from '../../../../config/iso8583-limits.js';

export interface TlsFiles {
  readonly ca?: Buffer;
  readonly certificate?: Buffer;
  readonly key?: Buffer;
}

export interface Address {
  readonly host: string;
  readonly port: number;
  /** Absent: plain TCP. */
  readonly tls?: TlsFiles;
}

/** Resolves with a connection that may be written to. Rejects with the system's error, or that of the TLS handshake. */
export function openSocket({ host, port, tls }: Address): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const { ca, certificate: cert, key } = tls ?? {};
    const options = {
      host,
      port,
      servername: host,
      minVersion: 'TLSv1.2',
      ...(ca && { ca }),
      ...(cert && { cert, key }),
    };
    const socket = tls ? connectTls({ ...options, minVersion: 'TLSv1.2' }) : connectTcp({ host, port });
    const late = setTimeout(
      () => socket.destroy(new Error(`no connection within ${iso8583Limits.connectMs} ms`)),
      iso8583Limits.connectMs,
    );
    const fail = (error: Error) => {
      clearTimeout(late);
      reject(error);
    };
    socket.once('error', fail);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(late);
      socket.off('error', fail);
      socket.setNoDelay(true);
      socket.setKeepAlive(true);
      resolve(socket);
    });
  });
}
