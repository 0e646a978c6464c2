/** Creates the adapter from the settings of the installation. */
import type { adyenSettings } from '../../../config/adyen-settings.js';
import type { Config } from '../../../config/index.js';
import type { Log } from '../../log.js';
import type { Processor } from '../processor.js';
import { createAdyenProcessor } from './create-adyen-processor.js';

export type AdyenConfig = Partial<Pick<Config, keyof typeof adyenSettings>> & Pick<Config, 'processorTimeoutMs'>;

const API_VERSION = 'v71';

/** Returns Adyen's live address, which contains a prefix that Adyen gives to each company. */
export const liveUrl = (prefix: string): string =>
  `https://${prefix}-checkout-live.adyenpayments.com/checkout/${API_VERSION}`;

/** Returns the adapter; `undefined` when the installation is not configured for it. */
export function openAdyen(
  { adyenUrl, adyenLivePrefix, processorTimeoutMs }: AdyenConfig,
  log: Log,
): Processor | undefined {
  const baseUrl = adyenUrl ?? (adyenLivePrefix === undefined ? undefined : liveUrl(adyenLivePrefix));
  return baseUrl === undefined ? undefined : createAdyenProcessor({ baseUrl, timeoutMs: processorTimeoutMs, log });
}
