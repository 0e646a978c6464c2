import { isIP, SocketAddress } from 'node:net';

/** Groups of an IPv6 address (16 bits each), and how many of them name one subscriber: a /64. */
const GROUPS = 8;
const SUBSCRIBER_GROUPS = 4;

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** The one way to write an address: compressed lower case, without a zone, and IPv4 that was mapped to IPv6 as IPv4. */
export function canonicalAddress(text: string): string | undefined {
  const version = isIP(text);
  if (version === 4) return text;
  if (version !== 6 || text.includes('%')) return undefined;
  const { address } = new SocketAddress({ address: text, family: 'ipv6' });
  return MAPPED_IPV4.exec(address)?.[1] ?? address;
}

function subscriberOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail ? tail.split(':') : [];
  // An IPv4 address at the end counts as two groups.
  const written = first.length + last.length + (address.includes('.') ? 1 : 0);
  const all = tail === undefined ? first : [...first, ...Array<string>(GROUPS - written).fill('0'), ...last];
  return `${all.slice(0, SUBSCRIBER_GROUPS).join(':')}::/64`;
}

/**
 * Whom an address is counted as: an IPv4 address as it is, an IPv6 address as its /64, of which one subscriber may use any.
 * @returns `unknown` for what is no address.
 */
export function addressKey(text: string): string {
  const address = canonicalAddress(text);
  if (address === undefined) return 'unknown';
  return isIP(address) === 4 ? address : subscriberOf(address);
}
