/** Problems in the settings of `adyen` as a whole, each as a sentence that names the setting but never a value. */
import { areHmacKeys } from './adyen-hmac-keys.js';
import type { adyenSettings, adyenUpdateSettings } from './adyen-settings.js';
import type { Config } from './config.js';

type AdyenConfig = Partial<Pick<Config, keyof typeof adyenSettings | keyof typeof adyenUpdateSettings>>;

const LIVE_PREFIX = /^[0-9a-zA-Z]+(-[0-9a-zA-Z]+)*$/;

/** @param config settings that the process does not read, or that are unusable, are absent */
export function adyenProblems(config: AdyenConfig): string[] {
  const { adyenUrl, adyenLivePrefix, adyenHmacKeys, adyenWebhookUser, adyenWebhookPassword } = config;
  const problems: string[] = [];
  if (adyenUrl !== undefined && adyenLivePrefix !== undefined) {
    problems.push('ADYEN_URL and ADYEN_LIVE_PREFIX exclude each other: one is for tests, the other for production');
  }
  if (adyenLivePrefix !== undefined && !LIVE_PREFIX.test(adyenLivePrefix)) {
    problems.push('ADYEN_LIVE_PREFIX must be the prefix alone, for example 1797a841fbb37ca7-AdyenDemo');
  }
  if (adyenHmacKeys !== undefined && !areHmacKeys(adyenHmacKeys)) {
    problems.push('ADYEN_HMAC_KEYS must be hexadecimal keys, separated by commas');
  }
  if ((adyenWebhookUser === undefined) !== (adyenWebhookPassword === undefined)) {
    problems.push('ADYEN_WEBHOOK_USER and ADYEN_WEBHOOK_PASSWORD go together');
  }
  return problems;
}

/** Returns the problems of a production installation: no real money moves on a test platform. */
export function adyenProductionProblems({ adyenUrl }: AdyenConfig): string[] {
  if (adyenUrl === undefined) return [];
  const { protocol, hostname } = new URL(adyenUrl);
  const isTest = /(^|\.)adyen\.com$/.test(hostname);
  if (isTest) return ["ADYEN_URL names Adyen's test platform, which production refuses: set ADYEN_LIVE_PREFIX instead"];
  return protocol === 'https:' ? [] : ['ADYEN_URL must be https in production'];
}

/** Returns the problems of a testing installation: the live platform moves money. */
export const adyenTestingProblems = ({ adyenLivePrefix }: AdyenConfig): string[] =>
  adyenLivePrefix === undefined
    ? []
    : ['ADYEN_LIVE_PREFIX names the live platform, which a testing installation must not call: set ADYEN_URL instead'];
