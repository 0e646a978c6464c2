/** Settings of the processor `stripe` (docs/processors.md). */
import type { Setting } from './setting.js';

export const stripeSettings = {
  stripeSecretKey: {
    env: 'STRIPE_SECRET_KEY',
    kind: 'string',
    secret: true,
    about:
      'Secret or restricted key of the Stripe account that merchants without a key of their own are charged through (sk_…, rk_…).',
  },
  stripeMerchantAccounts: {
    env: 'STRIPE_MERCHANT_ACCOUNTS',
    kind: 'boolean',
    default: 'false',
    about:
      'Merchants have Stripe accounts and keys of their own. true: `stripe` is part of the installation without STRIPE_SECRET_KEY too.',
  },
  stripeApiUrl: {
    env: 'STRIPE_API_URL',
    kind: 'url',
    default: 'https://api.stripe.com',
    about: 'Address of the Stripe API. Another one is for tests.',
  },
} as const satisfies Record<string, Setting>;
