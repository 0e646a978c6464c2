import { isIP, SocketAddress } from 'node:net';

/** Groups of an IPv6 address (16 bits each), and how many of them identify one subscriber: a /64. */
const GROUPS = 8;
const SUBSCRIBER_GROUPS = 4;

const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/;

/** Returns an address in its only accepted form: compressed, lower case, without a zone; an IPv4-mapped IPv6 address as IPv4. */
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
 * Returns the key by which an address is counted: an IPv4 address itself, an IPv6 address by its /64, because one subscriber may use
 * any address of that network.
 * @returns `unknown` for a text that is no address.
 */
export function addressKey(text: string): string {
  const address = canonicalAddress(text);
  if (address === undefined) return 'unknown';
  return isIP(address) === 4 ? address : subscriberOf(address);
}
