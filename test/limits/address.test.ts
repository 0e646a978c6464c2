import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { clientAddressReader } from '../../api/limits/client-address.js';
import type { TrustedProxies } from '../../config/index.js';
import { parseProxies } from '../../config/proxies.js';
import { addressKey, canonicalAddress } from '../../shared/identity/address-key.js';

test.each([
  ['203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7', '203.0.113.7'],
  ['::FFFF:cb00:7107', '203.0.113.7', '203.0.113.7'],
  ['2001:DB8:0:1:2:3:4:5', '2001:db8:0:1:2:3:4:5', '2001:db8:0:1::/64'],
  ['2001:db8::5', '2001:db8::5', '2001:db8:0:0::/64'],
  ['::1', '::1', '0:0:0:0::/64'],
  ['::', '::', '0:0:0:0::/64'],
  ['64:ff9b::1.2.3.4', '64:ff9b::102:304', '64:ff9b:0:0::/64'],
])('%s is written %s and counted as %s', (text, canonical, key) => {
  expect(canonicalAddress(text)).toBe(canonical);
  expect(addressKey(text)).toBe(key);
});

test.each(['', 'unknown', 'fe80::1%eth0', '1.2.3', '0x7f.1', '010.0.0.1', '1.2.3.4.5', '::g', '127.0.0.1\r\n'])(
  '%j is no address',
  (text) => {
    expect(canonicalAddress(text)).toBeUndefined();
    expect(addressKey(text)).toBe('unknown');
  },
);

test('property: two addresses of one /64 are one subscriber, and others are not', () => {
  const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16));
  const groups = fc.array(group, { minLength: 4, maxLength: 4 });
  fc.assert(
    fc.property(groups, groups, groups, (network, a, b) => {
      // Mapped IPv4 is in ::/64 and is counted as IPv4.
      fc.pre(network.some((part) => part !== '0'));
      const key = addressKey([...network, ...a].join(':'));
      expect(addressKey([...network, ...b].join(':'))).toBe(key);
      const elsewhere = [...network.slice(0, 3), ((Number.parseInt(network[3] ?? '0', 16) + 1) % 0xffff).toString(16)];
      fc.pre(elsewhere.join() !== network.join() && elsewhere.some((part) => part !== '0'));
      expect(addressKey([...elsewhere, ...a].join(':'))).not.toBe(key);
    }),
  );
});

const request = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

const trusting = (setting: string) => clientAddressReader(parseProxies(setting) as TrustedProxies);

test('no proxy is trusted by default: a hundred spoofed values change nothing', () => {
  const read = trusting('0');
  for (let index = 0; index < 100; index++)
    expect(read(request('198.51.100.9', `10.0.0.${index}`))).toBe('198.51.100.9');
  expect(read(request('::ffff:198.51.100.9', '1.2.3.4'))).toBe('198.51.100.9');
});

test.each([
  ['1', '10.0.0.1', undefined, '10.0.0.1'],
  ['1', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['1', '10.0.0.1', 'spoofed, 1.1.1.1, 203.0.113.7', '203.0.113.7'],
  ['2', '10.0.0.1', '1.1.1.1, 203.0.113.7, 10.0.0.2', '203.0.113.7'],
  ['2', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['10.0.0.0/8', '10.0.0.1', '1.1.1.1, 203.0.113.7, 10.9.9.9', '203.0.113.7'],
  ['10.0.0.0/8', '192.0.2.1', '203.0.113.7', '192.0.2.1'],
  ['10.0.0.0/8', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['10.0.0.0/8, fd00::/8', 'fd00::1', '203.0.113.7, 10.0.0.1', '203.0.113.7'],
  ['10.0.0.1', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
  ['10.0.0.1', '10.0.0.2', '203.0.113.7', '10.0.0.2'],
  ['1', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
  ['1', '10.0.0.1', '[2001:db8::1]:4711', '2001:db8::1'],
  ['1', '10.0.0.1', '2001:DB8::1', '2001:db8::1'],
  // An entry that is no address ends the walk at the last address that is known.
  ['2', '10.0.0.1', '203.0.113.7, unknown', '10.0.0.1'],
  ['1', '10.0.0.1', '', '10.0.0.1'],
  ['1', '10.0.0.1', '203.0.113.7, ', '10.0.0.1'],
])('trusting %s, a call from %s with %j is from %s', (setting, peer, forwarded, caller) => {
  expect(trusting(setting)(request(peer, forwarded))).toBe(caller);
});

test('property: without trust in a network the header never decides', () => {
  const read = trusting('10.0.0.0/8');
  fc.assert(
    fc.property(fc.string(), fc.ipV4(), (header, spoofed) => {
      expect(read(request('203.0.113.7', header))).toBe('203.0.113.7');
      expect(read(request('10.0.0.1', `${spoofed}, 203.0.113.7`))).toBe('203.0.113.7');
    }),
  );
});
