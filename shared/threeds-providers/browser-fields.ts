/**
 * Which fields of the payer's browser a provider needs. Pure, because the API uses it too: it refuses a payment that could not be
 * authenticated before anything is stored.
 */
import type { BrowserDetails } from '../domain/payment/payment.js';
import type { ThreeDsProviderCode } from './codes.js';

type Field = keyof BrowserDetails;

const always: readonly Field[] = ['ipAddress', 'userAgent'];
/** EMV 3DS requires these of every browser. */
const emvAlways: readonly Field[] = [...always, 'acceptHeader', 'language'];
/** EMV 3DS also requires these of every browser that runs scripts. */
const scriptFields = ['javaEnabled', 'colorDepth', 'screenHeight', 'screenWidth', 'timeZoneOffset'] as const;

const needed: Readonly<Record<ThreeDsProviderCode, (browser: BrowserDetails) => readonly Field[]>> = {
  sandbox: () => always,
  emv3ds: ({ javascriptEnabled }) => (javascriptEnabled === false ? emvAlways : [...emvAlways, ...scriptFields]),
};

/** Returns the missing fields. @param provider code of the catalogue; an unknown provider needs what all providers need */
export function missingBrowserFields(provider: string, browser: BrowserDetails = {}): Field[] {
  const fields = needed[provider as ThreeDsProviderCode] ?? needed.sandbox;
  return fields(browser).filter((field) => browser[field] === undefined || browser[field] === '');
}
