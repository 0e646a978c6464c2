/** The proxies that the API trusts (TRUSTED_PROXIES). */
import { isIP } from 'node:net';

/**
 * `hops`: number of proxies in front of the API, each of which appends the address of its caller.
 * `networks`: a caller from one of these networks (CIDR) is a proxy.
 */
export type TrustedProxies =
  | { readonly hops: number }
  | { readonly networks: readonly { readonly address: string; readonly bits: number }[] };

const HOPS_MAX = 16;

function parseNetwork(text: string): { address: string; bits: number } | undefined {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return undefined;
  const longest = version === 4 ? 32 : 128;
  if (bits === undefined) return { address, bits: longest };
  // With a network of all addresses any caller could choose its own address.
  return /^\d{1,3}$/.test(bits) && Number(bits) >= 1 && Number(bits) <= longest
    ? { address, bits: Number(bits) }
    : undefined;
}

/** Returns the parsed setting, or what is wrong with it. */
export function parseProxies(text: string): TrustedProxies | string {
  if (/^\d+$/.test(text)) {
    return Number(text) <= HOPS_MAX ? { hops: Number(text) } : `must be at most ${HOPS_MAX} proxies`;
  }
  const networks = text.split(',').map((part) => parseNetwork(part.trim()));
  return networks.every((network) => network !== undefined)
    ? { networks }
    : 'must be a number of proxies, or addresses and networks (CIDR), comma separated';
}
