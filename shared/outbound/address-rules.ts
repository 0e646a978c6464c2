/**
 * Which addresses the gateway may dial on behalf of a merchant (docs/security.md#refused-addresses). Trap: a `BlockList` that holds
 * `::ffff:0:0/96` refuses every IPv4 address; it is not needed, since IPv4 rules already match mapped addresses.
 */
import { BlockList, isIP } from 'node:net';

/** `private`: the operator's own machine or network, allowed in testing only. `refused`: never a receiver. */
export type AddressKind = 'public' | 'private' | 'refused';

function blockList(...subnets: readonly string[]): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', prefix] = subnet.split('/');
    list.addSubnet(network, Number(prefix), network.includes(':') ? 'ipv6' : 'ipv4');
  }
  return list;
}

/** Services of clouds that give out credentials, at addresses that look private or public: Azure, AWS, Google Cloud, Oracle. */
const metadata = blockList('168.63.129.16/32', 'fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:c1::a9fe:a9fe/128');

const own = blockList('10.0.0.0/8', '127.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '::1/128', 'fc00::/7');

const special = blockList(
  '0.0.0.0/8',
  '100.64.0.0/10',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // IPv4-compatible and IPv4-translated forms, NAT64, discard, Teredo and its neighbours, documentation, 6to4, SRv6,
  // link-local, site-local, multicast.
  '::/96',
  '::ffff:0:0:0/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
);

/** Returns the kind of an IP address in text form. Text that is not an address, or that names a zone, is refused. */
export function addressKind(address: string): AddressKind {
  const version = isIP(address);
  if (version === 0 || address.includes('%')) return 'refused';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (metadata.check(address, family)) return 'refused';
  if (own.check(address, family)) return 'private';
  return special.check(address, family) ? 'refused' : 'public';
}

/** Whether the address may be dialled. */
export function isPermitted(address: string, rules: { readonly allowPrivateNetworks: boolean }): boolean {
  const kind = addressKind(address);
  return kind === 'public' || (kind === 'private' && rules.allowPrivateNetworks);
}
