/**
 * Reaches addresses through an HTTP proxy by CONNECT (RFC 9110, 9.3.6), for networks in which callbacks can leave only through a proxy. The
 * proxy is asked for the address that was checked here, never for a name: it has nothing to resolve, so the rules of `guarded-agent.ts`
 * hold through it. Undici's own ProxyAgent sends the name, and the proxy would decide to which address it resolves.
 */
import { isIP, type Socket } from 'node:net';
import { buildConnector, errors, Pool } from 'undici';
import '../../shared/outbound/baseline-wasm.js';

export interface ProxyDialOptions {
  /** Time limit (ms), once for the connection to the proxy and its answer together, and once for TLS with the receiver. */
  readonly connectMs: number;
  /** Certificate authorities besides the system's, in PEM, for the proxy (https) and for the receiver. */
  readonly ca?: string;
}

export interface ProxyDial {
  readonly dial: buildConnector.connector;
  close(): Promise<void>;
}

/** The proxy answered but did not connect: because of its own rules, a wrong password, or an unreachable receiver. */
export class ProxyRefusedError extends Error {
  readonly code = 'PROXY_REFUSED';
  constructor(status: number) {
    super(`the proxy answered ${status}`);
    this.name = 'ProxyRefusedError';
  }
}

/** Returns the authority (host and port) for CONNECT. */
function authorityOf({ hostname, port, protocol }: buildConnector.Options): string {
  const host = isIP(hostname) === 6 ? `[${hostname}]` : hostname;
  return `${host}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function credentialsOf({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** @param proxyUrl http or https; a user name and password in it are sent as Basic authentication. */
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
