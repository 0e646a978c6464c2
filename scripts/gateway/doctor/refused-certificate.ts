/** Finds out what is wrong with certificates where a client hides why its connections end. */
import { connect } from 'node:tls';
import { limits } from '../../../config/limits.js';
import type { RedisNode } from '../../../config/redis-address.js';
import { refusesCertificate } from '../../../shared/store/database.js';

/** Returns why TLS with a server ends; undefined when it begins, or the server does not answer in time. */
function handshakeError({ host, port }: RedisNode): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: limits.redisConnectMs });
    const end = (error?: Error) => {
      socket.destroy();
      resolve(error);
    };
    socket.once('secureConnect', () => end());
    socket.once('timeout', () => end());
    socket.once('error', end);
  });
}

/** Returns the error of a server whose certificate is not accepted; undefined: there is none. */
export async function refusedCertificate(servers: readonly RedisNode[]): Promise<NodeJS.ErrnoException | undefined> {
  const errors = await Promise.all(servers.map(handshakeError));
  return errors.find((error) => error && refusesCertificate(error.message));
}
