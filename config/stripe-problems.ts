/** Problems in the settings of `stripe` as a whole, each as a sentence that names the setting. */
import type { Config } from './config.js';
import type { stripeSettings } from './stripe-settings.js';

type StripeConfig = Partial<Pick<Config, keyof typeof stripeSettings | 'environment' | 'stripeWebhookSecret'>>;

const KEY = /^(sk|rk)_(test|live)_\w+$/;
const SECRETS = /^whsec_[\w+/=-]+(,whsec_[\w+/=-]+)*$/;

/** @param config settings that the process does not read, or that are unusable, are absent; a value is never repeated */
export function stripeProblems({
  stripeSecretKey: key,
  stripeApiUrl: url,
  stripeWebhookSecret: secrets,
  environment,
}: StripeConfig): string[] {
  const problems: string[] = [];
  if (key !== undefined && !KEY.test(key))
    problems.push('STRIPE_SECRET_KEY must be a key such as sk_test_… or rk_live_…');
  const mode = KEY.exec(key ?? '')?.[2];
  if (mode === 'test' && environment === 'production') {
    problems.push('STRIPE_SECRET_KEY is a test key, which production refuses: no money would move');
  }
  if (mode === 'live' && environment === 'testing') {
    problems.push('STRIPE_SECRET_KEY is a live key, which a testing environment refuses: real cards would be charged');
  }
  if (secrets !== undefined && !SECRETS.test(secrets)) {
    problems.push(
      'STRIPE_WEBHOOK_SECRET must be a signing secret such as whsec_…, or several with commas between them',
    );
  }
  if (environment === 'production' && url?.startsWith('https:') === false) {
    problems.push('STRIPE_API_URL must be https in production: card numbers travel there');
  }
  return problems;
}
