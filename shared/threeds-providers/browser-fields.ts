/**
 * What has to be known of the payer's browser before a provider is asked. Pure, for the API too, which refuses a payment that could
 * not be authenticated before anything is stored.
 */
import type { BrowserDetails } from '../domain/payment/payment.js';
import type { ThreeDsProviderCode } from './codes.js';

type Field = keyof BrowserDetails;

const always: readonly Field[] = ['ipAddress', 'userAgent'];
/** EMV 3DS asks every browser for these, */
const emvAlways: readonly Field[] = [...always, 'acceptHeader', 'language'];
/** and every browser that runs scripts for these too. */
export const scriptFields = ['javaEnabled', 'colorDepth', 'screenHeight', 'screenWidth', 'timeZoneOffset'] as const;

const needed: Readonly<Record<ThreeDsProviderCode, (browser: BrowserDetails) => readonly Field[]>> = {
  sandbox: () => always,
  emv3ds: ({ javascriptEnabled }) => (javascriptEnabled === false ? emvAlways : [...emvAlways, ...scriptFields]),
};

/** @param provider code of the catalogue; one that is not known here asks for what all ask for */
export function missingBrowserFields(provider: string, browser: BrowserDetails = {}): Field[] {
  const fields = needed[provider as ThreeDsProviderCode] ?? needed.sandbox;
  return fields(browser).filter((field) => browser[field] === undefined || browser[field] === '');
}
