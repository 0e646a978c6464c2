import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
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

function tlsOptions(host: string, port: number, { ca, certificate: cert, key }: TlsFiles): ConnectionOptions {
  // The certificate must contain this name; for an IP address no name is sent.
  const name = isIP(host) === 0 ? { servername: host } : {};
  return { host, port, ...name, minVersion: 'TLSv1.2', ...(ca && { ca }), ...(cert && key && { cert, key }) };
}

/** Wraps an error of the TLS handshake: the system's code alone does not distinguish it from an error of the connection. */
const handshakeError = ({ code, message }: NodeJS.ErrnoException) =>
  new Error(`the TLS handshake failed: ${code ?? message}`);

/**
 * Opens a connection. Resolves when it can be written to; no message has left before. Rejects with the system's error, or with an error
 * whose message says that the TLS handshake failed (a certificate that is not trusted, has another name, or is required of the gateway;
 * an acquirer without TLS).
 */
export function openSocket({ host, port, tls }: Address): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = tls ? connectTls(tlsOptions(host, port, tls)) : connectTcp({ host, port });
    let handshaking = false;
    const late = setTimeout(
      () => socket.destroy(new Error(`no connection within ${iso8583Limits.connectMs} ms`)),
      iso8583Limits.connectMs,
    );
    const fail = (error: Error) => {
      clearTimeout(late);
      reject(handshaking ? handshakeError(error) : error);
    };
    socket.once('error', fail);
    if (tls) {
      socket.once('connect', () => {
        handshaking = true;
      });
    }
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      clearTimeout(late);
      socket.off('error', fail);
      socket.setNoDelay(true);
      socket.setKeepAlive(true);
      resolve(socket);
    });
  });
}
