/**
 * Reaches addresses through an HTTP proxy by CONNECT (RFC 9110, 9.3.6), for networks that callbacks leave through one proxy only.
 * The proxy is asked for the address that was checked here, never for a name: it has nothing to resolve, so the rules of
 * `guarded-agent.ts` hold through it. Undici's own ProxyAgent asks for the name, and what that is would be the proxy's to say.
 */
import { isIP, type Socket } from 'node:net';
import { buildConnector, errors, Pool } from 'undici';
import '../../shared/outbound/baseline-wasm.js';

export interface ProxyDialOptions {
  /** The connection to the proxy, its answer, and TLS with the receiver each end after this (ms). */
  readonly connectMs: number;
  /** Certificate authorities beside the system's, in PEM, for the proxy (https) and for the receiver. */
  readonly ca?: string;
}

export interface ProxyDial {
  readonly dial: buildConnector.connector;
  close(): Promise<void>;
}

/** The proxy is there and did not connect: its own rules, a wrong password, or the receiver is away. */
export class ProxyRefusedError extends Error {
  readonly code = 'PROXY_REFUSED';
  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.name = 'ProxyRefusedError';
  }
}

/** The authority of CONNECT. */
function authorityOf({ hostname, port, protocol }: buildConnector.Options): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return `${host}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** @param proxyUrl http or https; a user name and a password in it are sent as Basic. */
export function createProxyDial(proxyUrl: string, { connectMs, ca }: ProxyDialOptions): ProxyDial {
  const proxy = new URL(proxyUrl);
  const authorities = ca === undefined ? {} : { ca };
  const pool = new Pool(proxy.origin, {
    connect: { timeout: connectMs, ...authorities },
    headersTimeout: connectMs,
  });
  const secure = buildConnector({ timeout: connectMs, ...authorities });

  async function tunnel(authority: string): Promise<Socket> {
    const { socket, statusCode } = await pool.connect({
      path: authority,
      headers: { host: authority, ...credentialsOf(proxy) },
      signal: AbortSignal.timeout(connectMs),
    });
    if (statusCode === 200) return socket as Socket;
    socket.on('error', () => undefined).destroy();
    throw new ProxyRefusedError(statusCode);
  }

  return {
    dial: (target, callback) => {
      const secured = (socket: Socket) =>
        target.protocol === 'https:' ? secure({ ...target, httpSocket: socket }, callback) : callback(null, socket);
      tunnel(authorityOf(target)).then(secured, (error: Error) => {
        const late = error.name === 'TimeoutError';
        callback(late ? new errors.ConnectTimeoutError('the proxy did not answer in time') : error, null);
      });
    },
    close: () => pool.destroy(),
  };
}
