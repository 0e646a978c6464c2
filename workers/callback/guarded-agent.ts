/**
 * The HTTP agent for addresses that merchants choose (docs/security.md#callback-targets): it connects to the address that was checked. The
 * name is resolved here, every answer is checked, and the socket is opened to a checked address, or to the next one when that fails to
 * connect; Node never resolves the name again. An IP literal in the URL is checked the same way.
 */
import { getServers, lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { Agent, buildConnector } from 'undici';
import '../../shared/outbound/baseline-wasm.js';
import { limits } from '../../config/limits.js';
import { within } from '../../shared/clock.js';
import { isPermitted } from '../../shared/outbound/address-rules.js';

/** Returns all addresses of a host name. Rejects when there is none. */
export type ResolveName = (host: string) => Promise<readonly string[]>;

export interface GuardOptions {
  readonly allowPrivateNetworks: boolean;
  readonly resolve?: ResolveName;
  readonly resolveMs?: number;
  readonly connectMs?: number;
  /** Certificate authorities besides the system's, in PEM. */
  readonly ca?: string;
  /** Opens the socket; tests replace it with a dishonest one. */
  readonly dial?: buildConnector.connector;
  /** The checked address is reached through an HTTP proxy: then the socket's peer is the proxy, and is not compared. */
  readonly throughProxy?: boolean;
}

/** The address is not permitted. */
export class TargetRefusedError extends Error {
  readonly code = 'TARGET_REFUSED';
  constructor() {
    super('the target is not a permitted address');
    this.name = 'TargetRefusedError';
  }
}

/** The name has no address, or the name servers did not answer in time. */
export class NameNotResolvedError extends Error {
  readonly code = 'NAME_NOT_RESOLVED';
  constructor() {
    super('the host name could not be resolved');
    this.name = 'NameNotResolvedError';
  }
}

/**
 * Returns the addresses of all queries that are answered in time: once one has addresses, the others get `callbackOtherVersionMs` more.
 * Some name servers never answer for version 6, and the receiver is reached at its other addresses.
 */
async function gather(queries: readonly Promise<readonly string[]>[]): Promise<readonly string[]> {
  const found: string[] = [];
  const answers = queries.map(async (query) => void found.push(...(await query)));
  const all = Promise.allSettled(answers);
  await Promise.any(answers).catch(() => undefined);
  await within(limits.callbackOtherVersionMs, all, () => undefined);
  return [...found];
}

export interface ResolverOptions {
  /** Time in which all name servers are asked. */
  readonly timeoutMs: number;
  /** Whether names are first looked up the system's way (`localhost`, /etc/hosts): for receivers on the machine of a developer. */
  readonly hostsFile: boolean;
  /** Name servers (address and port); absent: those of the system. */
  readonly servers?: readonly string[];
}

/**
 * Returns how long the first query to a name server waits (ms), so that all queries to `count` servers fit into the time: the servers are
 * asked one after another, and in each round wait twice as long as in the one before.
 */
function firstWaitMs(timeoutMs: number, count: number): number {
  const waits = Math.max(1, count) * (2 ** limits.callbackResolveTries - 1);
  return Math.max(1, Math.floor(timeoutMs / waits));
}

/** Asks the name servers directly: bounded in time, and not on the thread pool, which one slow name server could fill. */
export function createResolver({ timeoutMs, hostsFile, servers }: ResolverOptions): ResolveName {
  return async (host) => {
    const timeout = firstWaitMs(timeoutMs, (servers ?? getServers()).length);
    const resolver = new Resolver({ timeout, tries: limits.callbackResolveTries });
    if (servers) resolver.setServers(servers);
    if (hostsFile) {
      const known = await lookup(host, { all: true }).catch(() => []);
      if (known.length > 0) return known.map(({ address }) => address);
    }
    const found = await gather([resolver.resolve4(host), resolver.resolve6(host)]);
    resolver.cancel();
    return found;
  };
}

/**
 * Returns the addresses that may be connected to for a host of a URL, in the order in which they are tried: IPv4 first, which more networks
 * have.
 * @throws {TargetRefusedError} when the literal, or any of the answers, is not permitted.
 * @throws {NameNotResolvedError} when there is no answer.
 */
export async function pinAddresses(hostname: string, options: GuardOptions): Promise<readonly string[]> {
  const host = hostname.replace(/^\[|\]$/g, '');
  const literal = isIP(host) !== 0;
  const resolveMs = options.resolveMs ?? limits.callbackResolveMs;
  const resolve = options.resolve ?? createResolver({ timeoutMs: resolveMs, hostsFile: options.allowPrivateNetworks });
  const noAnswer = (): readonly string[] => [];
  const addresses = literal ? [host] : await within(resolveMs, resolve(host).catch(noAnswer), noAnswer);
  // One forbidden address among good ones means that the name is used to attack us: no address of it is used.
  if (addresses.some((address) => !isPermitted(address, options))) throw new TargetRefusedError();
  if (addresses.length === 0) throw new NameNotResolvedError();
  const isOf = (version: 4 | 6) => (address: string) => isIP(address) === version;
  return [...addresses.filter(isOf(4)), ...addresses.filter(isOf(6))].slice(0, limits.callbackAddressesMax);
}

function guardedConnector(options: GuardOptions): buildConnector.connector {
  const connectMs = options.connectMs ?? limits.callbackConnectMs;
  const ca = options.ca !== undefined && { ca: options.ca };
  /** Dials one of `count` addresses: together they have the time of one. */
  const dialFor = (count: number) => options.dial ?? buildConnector({ timeout: Math.floor(connectMs / count), ...ca });
  const dials = Array.from({ length: limits.callbackAddressesMax }, (_, n) => dialFor(n + 1));

  return (target, callback) => {
    // `target.host` stays the name: TLS requests it and checks the certificate against it.
    const connect = ([address = '', ...others]: readonly string[], dial: buildConnector.connector) =>
      dial({ ...target, hostname: address }, (...[error, socket]) => {
        // No byte of the callback was sent yet: another address of the receiver may answer.
        if (error && others.length > 0) return connect(others, dial);
        if (error) return callback(error, null);
        if (options.throughProxy || isPermitted(socket.remoteAddress ?? '', options)) return callback(null, socket);
        socket.destroy();
        return callback(new TargetRefusedError(), null);
      });
    const begin = (addresses: readonly string[]) =>
      connect(addresses, dials[addresses.length - 1] as buildConnector.connector);
    pinAddresses(target.hostname, options).then(begin, (error: Error) => callback(error, null));
  };
}

/**
 * Makes an undici agent that reaches permitted addresses only. Sockets are reused per origin for a short time; the address of a reused
 * socket was checked when it was opened.
 */
export function createGuardedAgent(options: GuardOptions): Agent {
  return new Agent({
    connect: guardedConnector(options),
    headersTimeout: limits.callbackHeadersMs,
    bodyTimeout: limits.callbackTotalMs,
    // Shorter than servers usually allow, so that a request is rarely sent into a socket that is being closed.
    keepAliveTimeout: limits.callbackKeepAliveMs,
    keepAliveMaxTimeout: limits.callbackKeepAliveMs,
  });
}
