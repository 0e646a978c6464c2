/** Settings of the processor `adyen` (docs/adyen.md). */
import type { Setting } from './setting.js';

export const adyenSettings = {
  adyenUrl: {
    env: 'ADYEN_URL',
    kind: 'url',
    about:
      'Address of the Checkout API, for tests: https://checkout-test.adyen.com/v71. Without it and ADYEN_LIVE_PREFIX `adyen` is left out.',
  },
  adyenLivePrefix: {
    env: 'ADYEN_LIVE_PREFIX',
    kind: 'string',
    about: "Prefix of the company's live addresses at Adyen, in place of ADYEN_URL. Production only.",
  },
} as const satisfies Record<string, Setting>;

/** Settings to authenticate notifications. */
export const adyenUpdateSettings = {
  adyenHmacKeys: {
    env: 'ADYEN_HMAC_KEYS',
    kind: 'string',
    secret: true,
    about:
      'Hexadecimal HMAC keys of notifications of all merchants, separated by commas: the newest and the one before it.',
  },
  adyenWebhookUser: {
    env: 'ADYEN_WEBHOOK_USER',
    kind: 'string',
    about: 'User of basic authentication that notifications must carry. Goes with ADYEN_WEBHOOK_PASSWORD.',
  },
  adyenWebhookPassword: {
    env: 'ADYEN_WEBHOOK_PASSWORD',
    kind: 'string',
    secret: true,
    about: 'Password of that user. Goes with ADYEN_WEBHOOK_USER.',
  },
} as const satisfies Record<string, Setting>;
