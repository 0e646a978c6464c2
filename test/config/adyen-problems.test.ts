import { adyenProblems, adyenProductionProblems, adyenTestingProblems } from '../../config/adyen-problems.js';
import { liveUrl } from '../../shared/processors/adyen/open-adyen.js';

const KEY = 'a1'.repeat(32);
const TEST_URL = 'https://checkout-test.adyen.com/v71';

test.each([
  {},
  { adyenUrl: TEST_URL },
  { adyenLivePrefix: '1797a841fbb37ca7-AdyenDemo' },
  { adyenHmacKeys: KEY },
  { adyenHmacKeys: `${KEY},${'B2'.repeat(32)}` },
  { adyenHmacKeys: `${KEY}, ${'B2'.repeat(32)}` },
  { adyenWebhookUser: 'adyen', adyenWebhookPassword: 'secret' },
])('%j has no problem', (config) => expect(adyenProblems(config)).toEqual([]));

test.each([
  [{ adyenUrl: TEST_URL, adyenLivePrefix: 'prefix' }, /ADYEN_URL and ADYEN_LIVE_PREFIX exclude each other/],
  [{ adyenLivePrefix: 'https://prefix-checkout-live.adyenpayments.com' }, /ADYEN_LIVE_PREFIX must be the prefix alone/],
  [{ adyenLivePrefix: 'evil.example/#' }, /ADYEN_LIVE_PREFIX must be the prefix alone/],
  [{ adyenHmacKeys: 'no-hex' }, /ADYEN_HMAC_KEYS must be hexadecimal/],
  [{ adyenHmacKeys: `0x${KEY}` }, /ADYEN_HMAC_KEYS must be hexadecimal/],
  [{ adyenHmacKeys: `${KEY},` }, /ADYEN_HMAC_KEYS must be hexadecimal/],
  [{ adyenWebhookUser: 'adyen' }, /go together/],
  [{ adyenWebhookPassword: 'secret' }, /go together/],
])('%j has a problem, and no value is repeated', (config, sentence) => {
  const problems = adyenProblems(config);
  expect(problems).toEqual([expect.stringMatching(sentence)]);
  for (const value of ['no-hex', 'secret', KEY]) expect(problems.join()).not.toContain(value);
});

test('production refuses the test platform and plain HTTP, and testing refuses the live platform', () => {
  expect(adyenProductionProblems({ adyenUrl: TEST_URL })).toEqual([expect.stringMatching(/test platform/)]);
  expect(adyenProductionProblems({ adyenUrl: 'http://adyen.example' })).toEqual([expect.stringMatching(/https/)]);
  expect(adyenProductionProblems({ adyenUrl: 'https://proxy.example/v71' })).toEqual([]);
  expect(adyenProductionProblems({ adyenLivePrefix: 'prefix' })).toEqual([]);
  expect(adyenTestingProblems({ adyenLivePrefix: 'prefix' })).toEqual([expect.stringMatching(/live platform/)]);
  expect(adyenTestingProblems({ adyenUrl: TEST_URL })).toEqual([]);
});

test('the live address is built from the prefix', () =>
  expect(liveUrl('1797-Demo')).toBe('https://1797-Demo-checkout-live.adyenpayments.com/checkout/v71'));
