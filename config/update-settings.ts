/**
 * Settings of the readers of inbound updates: the secrets that check signatures. They are the only processor settings that the API reads.
 * Without its setting a processor's updates are left out: their address answers 404.
 */
import { adyenUpdateSettings } from './adyen-settings.js';
import type { Setting } from './setting.js';

export const updateSettings = {
  sandboxUpdateSecret: {
    env: 'SANDBOX_UPDATE_SECRET',
    kind: 'string',
    secret: true,
    about: 'Signs updates of the test processor. Testing only: production refuses to start with it.',
  },
  stripeWebhookSecret: {
    env: 'STRIPE_WEBHOOK_SECRET',
    kind: 'string',
    secret: true,
    about:
      'Signing secret of the webhook at Stripe (whsec_…); several with commas between them: of a second webhook, or while one is being changed.',
  },
  ...adyenUpdateSettings,
} as const satisfies Record<string, Setting>;

export type UpdateSettingName = keyof typeof updateSettings;
