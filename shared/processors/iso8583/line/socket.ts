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
  // The name is what the certificate has to say; an address has none.
  const name = isIP(host) === 0 ? { servername: host } : {};
  return { host, port, ...name, minVersion: 'TLSv1.2', ...(ca && { ca }), ...(cert && key && { cert, key }) };
}

/** Codes of the system alone do not tell a reset of the handshake from one of the connection. */
const handshakeError = ({ code, message }: NodeJS.ErrnoException) =>
  new Error(`the TLS handshake failed: ${code ?? message}`);

/**
 * Resolves with a connection that may be written to: no message left before. Rejects with the system's error, or with that of the TLS
 * handshake (a certificate that is not trusted, of another name, or wanted of us; an acquirer without TLS), which its message says.
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
