import fc from 'fast-check';
import { addressKind, isPermitted } from '../../shared/outbound/address-rules.js';

describe('addressKind', () => {
  it.each([
    ['1.1.1.1', 'public'],
    ['::ffff:1.1.1.1', 'public'],
    ['2606:4700:4700::1111', 'public'],
    ['64:ff9c::1', 'public'],
    ['127.0.0.1', 'private'],
    ['10.255.255.255', 'private'],
    ['172.31.255.255', 'private'],
    ['::1', 'private'],
    ['fd00::1', 'private'],
    ['::ffff:127.0.0.1', 'private'],
    ['0.0.0.0', 'refused'],
    ['169.254.169.254', 'refused'],
    ['::ffff:169.254.169.254', 'refused'],
    ['168.63.129.16', 'refused'],
    ['fd00:ec2::254', 'refused'],
    ['fd00:ec2::23', 'refused'],
    ['fd20:ce::254', 'refused'],
    ['fd00:c1::a9fe:a9fe', 'refused'],
    ['fd20:ce::1', 'private'],
    ['100.64.0.1', 'refused'],
    ['::7f00:1', 'refused'],
    ['::ffff:0:7f00:1', 'refused'],
    ['64:ff9b::7f00:1', 'refused'],
    ['2002:7f00:1::1', 'refused'],
    ['fe80::1', 'refused'],
    ['fe80::1%eth0', 'refused'],
    ['2606:4700:4700::1111%eth0', 'refused'],
    ['ff02::1', 'refused'],
    ['example.com', 'refused'],
    ['2130706433', 'refused'],
    ['', 'refused'],
  ])('%s is %s', (address, kind) => {
    expect(addressKind(address)).toBe(kind);
  });

  it('judges an IPv4 address the same in its mapped form', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        expect(addressKind(`::ffff:${address}`)).toBe(addressKind(address));
      }),
    );
  });

  it('permits private addresses only when they are allowed, and metadata services never', () => {
    expect(isPermitted('127.0.0.1', { allowPrivateNetworks: false })).toBe(false);
    expect(isPermitted('127.0.0.1', { allowPrivateNetworks: true })).toBe(true);
    expect(isPermitted('169.254.169.254', { allowPrivateNetworks: true })).toBe(false);
  });
});
