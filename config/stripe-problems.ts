/** Problems in the settings of `stripe` as a whole, each as a sentence that names the setting. */
import type { Config } from './config.js';
import { stripeKeyProblem, stripeSecretsProblem } from './stripe-keys.js';
import type { stripeSettings } from './stripe-settings.js';

type StripeConfig = Partial<Pick<Config, keyof typeof stripeSettings | 'environment' | 'stripeWebhookSecret'>>;

/** @param config settings that the process does not read, or that are unusable, are absent; a value is never repeated */
export function stripeProblems({
  stripeSecretKey: key,
  stripeApiUrl: url,
  stripeWebhookSecret: secrets,
  environment,
}: StripeConfig): string[] {
  const problems: string[] = [];
  const keyProblem = key === undefined ? undefined : stripeKeyProblem(key, environment);
  if (keyProblem !== undefined) problems.push(`STRIPE_SECRET_KEY ${keyProblem}`);
  const secretsProblem = secrets === undefined ? undefined : stripeSecretsProblem(secrets.split(','));
  if (secretsProblem !== undefined) problems.push(`STRIPE_WEBHOOK_SECRET ${secretsProblem}`);
  if (environment === 'production' && url?.startsWith('https:') === false) {
    problems.push('STRIPE_API_URL must be https in production: card numbers travel there');
  }
  return problems;
}
