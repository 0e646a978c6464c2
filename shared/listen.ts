/** Listens for the operator of a process. A second process on the same host takes the next port. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { limits } from '../config/limits.js';

const listenOnce = (server: Server, port: number, host: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const done = () => {
      server.off('error', failed);
      resolve((server.address() as AddressInfo).port);
    };
    // Node keeps the listener of a port that was taken, and warns of a leak at the eleventh.
    const failed = (error: Error) => {
      server.off('listening', done);
      reject(error);
    };
    server.once('error', failed);
    server.listen(port, host, done);
  });

/**
 * Listens on the port. When another process uses it, takes the first free one of the ports that follow, because the processes of one
 * Procfile on one host share their settings. 0 picks any port.
 * @returns the port; the log names it.
 * @throws the system's error when none of `limits.operatorPortsTried` is free, or for any other reason.
 */
export async function listenNear(server: Server, port: number, host: string): Promise<number> {
  const last = Math.min(port + limits.operatorPortsTried - 1, 65_535);
  for (let tried = port; ; tried += 1) {
    try {
      return await listenOnce(server, tried, host);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE' || port === 0 || tried >= last) throw error;
    }
  }
}
