/** TLS in front of a plain server on this machine: forwards the decrypted bytes unchanged in both directions. */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer } from 'node:tls';
import type { TestCertificate } from './make-certificate.js';

export interface TlsFront {
  readonly port: number;
  /** Sets the server behind it. Connections that arrive earlier are closed. */
  leadTo(port: number): void;
  close(): Promise<void>;
}

export async function startTlsFront({ cert, key }: TestCertificate, behind?: number): Promise<TlsFront> {
  let target = behind;
  const open = new Set<Socket>();
  const server = createServer({ cert, key }, (socket) => {
    if (target === undefined) {
      socket.destroy();
      return;
    }
    const inner = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [socket, inner],
      [inner, socket],
    ] as const) {
      open.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    leadTo: (port) => {
      target = port;
    },
    async close() {
      for (const socket of open) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
