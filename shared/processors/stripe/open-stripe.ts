/** Creates the adapter from the settings of the installation. */
import type { Config } from '../../../config/index.js';
import type { stripeSettings } from '../../../config/stripe-settings.js';
import type { Log } from '../../log.js';
import type { Processor } from '../processor.js';
import { createStripeProcessor } from './create-stripe-processor.js';

export type StripeConfig = Partial<Pick<Config, keyof typeof stripeSettings | 'environment'>> &
  Pick<Config, 'processorTimeoutMs'>;

/** Returns the adapter; `undefined` when the installation is not configured for it. */
export function openStripe(config: StripeConfig, log: Log): Processor | undefined {
  const {
    stripeSecretKey: secretKey,
    stripeMerchantAccounts,
    stripeApiUrl: baseUrl,
    processorTimeoutMs: timeoutMs,
    environment,
  } = config;
  if (baseUrl === undefined || (secretKey === undefined && !stripeMerchantAccounts)) return undefined;
  return createStripeProcessor({ baseUrl, secretKey, timeoutMs, log, environment });
}
