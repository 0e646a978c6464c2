import { parseUrl } from '../../shared/outbound/parse-url.js';

/** `URL.canParse` of Node 20 changes its answer after some thousand calls. */
const CALLS = 50_000;

test('a valid address is accepted however often it is parsed', () => {
  let refused = 0;
  for (let calls = 0; calls < CALLS; calls += 1) if (!parseUrl('https://bücher.example/')) refused += 1;
  expect(refused).toBe(0);
});

test.each(['', 'shop', '//shop.example', 'https://', 'https://[::1'])('%p is no address', (text) => {
  expect(parseUrl(text)).toBeUndefined();
});
