import { checkTargetUrl } from '../../shared/outbound/target-url.js';
import { acceptedTargets, refusedTargets } from './callback-targets.js';

const production = { environment: 'production', allowPrivateNetworks: false } as const;
const testing = { environment: 'testing', allowPrivateNetworks: false } as const;
const local = { environment: 'testing', allowPrivateNetworks: true } as const;

describe('checkTargetUrl', () => {
  it('has a corpus', () => {
    expect(refusedTargets.length).toBeGreaterThanOrEqual(72);
    expect(acceptedTargets.length).toBeGreaterThanOrEqual(8);
  });

  it.each(refusedTargets)('production refuses %s', (url) => {
    expect(checkTargetUrl(url, production)).toMatch(/^must /);
  });

  it.each(refusedTargets.filter((url) => url !== 'http://example.com/'))('testing refuses %s', (url) => {
    expect(checkTargetUrl(url, testing)).toMatch(/^must /);
  });

  it.each(acceptedTargets)('production accepts %s', (url) => {
    expect(checkTargetUrl(url, production)).toBeUndefined();
  });

  it.each([
    'https://exam\nple.com/',
    'https://example.com/a\tb',
    'https://example.com/\r\nX: y',
    ' https://example.com/',
    '',
    `https://example.com/${'a'.repeat(2_048)}`,
    'https://*/',
    'https://*.example.com/',
    'https://a.example;sandbox/',
    'https://a.example,b.example/',
    "https://'self'/",
  ])('refuses %j', (url) => {
    expect(checkTargetUrl(url, local)).toMatch(/^must /);
  });

  it('accepts http in testing, and own networks only when they are allowed', () => {
    expect(checkTargetUrl('http://example.com/', testing)).toBeUndefined();
    for (const url of ['http://127.0.0.1:3000/', 'http://localhost:3000/', 'http://shop:8080/', 'http://[::1]:3000/']) {
      expect(checkTargetUrl(url, local)).toBeUndefined();
      expect(checkTargetUrl(url, testing)).toMatch(/public/);
    }
    expect(checkTargetUrl('http://169.254.169.254/', local)).toMatch(/public/);
    expect(checkTargetUrl('http://127.0.0.1:6379/', local)).toMatch(/port/);
    expect(checkTargetUrl('https://example.com:22/', production)).toBe(
      'must name port 443, or one from 1024 to 65535 but 2375, 2376, 3306, 5432, 5672, 6379, 9200, 11211, 27017',
    );
  });

  it('accepts every name that a host may have', () => {
    for (const host of ['a_b.example', 'xn--mnchen-3ya.example', 'münchen.example', '[2606:4700::1111]', '1.1.1.1']) {
      expect(checkTargetUrl(`https://${host}/`, production)).toBeUndefined();
    }
  });

  it('never repeats the URL', () => {
    for (const url of refusedTargets) {
      const host = /\/\/([^/]{4,})/.exec(url)?.[1];
      if (host) expect(checkTargetUrl(url, production)).not.toContain(host);
    }
  });
});
