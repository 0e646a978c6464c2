/** The caller's address behind proxies (TRUSTED_PROXIES): X-Forwarded-For is believed only when a trusted proxy wrote it. */
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import type { TrustedProxies } from '../../config/index.js';
import { canonicalAddress } from '../../shared/identity/address-key.js';

/** Reads the caller's address from a request; an empty text when the connection is gone. */
export type ClientAddressOf = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => string;

/** Reads an entry as proxies write it, also `1.2.3.4:5678` and `[::1]:5678`. */
function parseEntry(text: string): string | undefined {
  const [, bare = text] = /^\[([^\]]+)\](?::\d+)?$/.exec(text) ?? /^([\d.]+):\d+$/.exec(text) ?? [];
  return canonicalAddress(bare);
}

const familyOf = (address: string) => (isIP(address) === 4 ? 'ipv4' : 'ipv6');

/** Returns a test whether the host at `address`, which is `hopsPassed` entries away from us, is a trusted proxy. */
function proxyTest(trusted: TrustedProxies): (address: string, hopsPassed: number) => boolean {
  if ('hops' in trusted) return (_address, hopsPassed) => hopsPassed < trusted.hops;
  const proxies = new BlockList();
  for (const { address, bits } of trusted.networks) proxies.addSubnet(address, bits, familyOf(address));
  return (address) => proxies.check(address, familyOf(address));
}

/**
 * Creates the reader. It starts at the address of the connection and follows X-Forwarded-For backwards as long as the host that
 * wrote the entry is trusted. An entry that is no address ends the walk: no entry before it can be believed.
 */
export function clientAddressReader(trusted: TrustedProxies): ClientAddressOf {
  const isProxy = proxyTest(trusted);
  return ({ socket, headers }) => {
    let caller = canonicalAddress(socket.remoteAddress ?? '') ?? '';
    if (!isProxy(caller || '0.0.0.0', 0)) return caller;
    const header = headers['x-forwarded-for'] ?? '';
    const entries = (Array.isArray(header) ? header.join(',') : header).split(',').reverse();
    for (const [hopsPassed, entry] of entries.entries()) {
      const next = isProxy(caller, hopsPassed) ? parseEntry(entry.trim()) : undefined;
      if (next === undefined) break;
      caller = next;
    }
    return caller;
  };
}
