/**
 * Rules for the `metadata` of 3DS settings, by provider. They are checked when an operator or merchant writes the settings, so that a
 * mistake does not first show in a payment. Keys that no provider knows are stored and have no effect.
 */
import { isCountryCode } from '../domain/country.js';
import { parseUrl } from '../outbound/parse-url.js';
import type { ThreeDsProviderCode } from './codes.js';

type Rule = readonly [fits: (text: string) => boolean, reason: string];

const pattern = (form: RegExp, reason: string): Rule => [(text) => form.test(text), reason];

const isHttps = (text: string): boolean => parseUrl(text)?.protocol === 'https:';

const onlyBrowsers = 'is not supported: payers are authenticated in a browser, by themselves and at once';

const emv3ds = {
  acquirerBin: pattern(/^\d{1,11}$/, 'must be 1 to 11 digits'),
  acquirerMerchantId: pattern(/^[\x20-\x7e]{1,35}$/, 'must be 1 to 35 printable characters'),
  merchantCategoryCode: pattern(/^\d{4}$/, 'must be 4 digits (ISO 18245)'),
  merchantCountryCode: [
    (text) => /^\d{3}$/.test(text) || isCountryCode(text),
    'must be a country of ISO 3166-1, as 3 digits or 2 letters',
  ],
  merchantName: pattern(/^[\x20-\x7e]{1,40}$/, 'must be 1 to 40 printable characters'),
  requestorId: pattern(/^[\x20-\x7e]{1,35}$/, 'must be 1 to 35 printable characters'),
  requestorName: pattern(/^[\x20-\x7e]{1,40}$/, 'must be 1 to 40 printable characters'),
  requestorUrl: [isHttps, 'must be an https address'],
  challengeIndicator: pattern(/^0[1-4]$/, 'must be 01 to 04'),
  transType: pattern(/^(01|03|10|11|28)$/, 'must be 01, 03, 10, 11 or 28'),
  deviceChannel: pattern(/^02$/, onlyBrowsers),
  threeRIInd: [() => false, onlyBrowsers],
  threeDSRequestorDecReqInd: pattern(/^N$/, onlyBrowsers),
} as const satisfies Readonly<Record<string, Rule>>;

const rules: Readonly<Record<ThreeDsProviderCode, Readonly<Record<string, Rule>>>> = { sandbox: {}, emv3ds };

/** Returns why the provider cannot use a value, by its name; empty: it can use all. */
export function metadataProblems(provider: string, metadata: Readonly<Record<string, string>>): Record<string, string> {
  const problems: Record<string, string> = {};
  for (const [name, [fits, reason]] of Object.entries(rules[provider as ThreeDsProviderCode] ?? {})) {
    const value = metadata[name];
    if (value !== undefined && value.trim() !== '' && !fits(value)) problems[name] = reason;
  }
  return problems;
}
