import { stripeProblems } from '../../config/stripe-problems.js';

const testing = { environment: 'testing' } as const;
const production = { environment: 'production' } as const;

test.each([
  [{}],
  [{ ...testing, stripeSecretKey: 'sk_test_abc' }],
  [{ ...production, stripeSecretKey: 'rk_live_abc', stripeApiUrl: 'https://api.stripe.com' }],
  [{ ...testing, stripeWebhookSecret: 'whsec_abc,whsec_def+/=' }],
])('%j has no problem', (config) => {
  expect(stripeProblems(config)).toEqual([]);
});

test.each([
  [{ ...testing, stripeSecretKey: 'pk_test_abc' }, /must be a key such as/],
  [{ ...testing, stripeSecretKey: 'sk_live_abc' }, /live key, which a testing environment refuses/],
  [{ ...production, stripeSecretKey: 'sk_test_abc' }, /test key, which production refuses/],
  [{ ...production, stripeApiUrl: 'http://stripe.example' }, /must be https/],
  [{ ...testing, stripeWebhookSecret: 'secret' }, /STRIPE_WEBHOOK_SECRET must be/],
  [{ ...testing, stripeWebhookSecret: 'whsec_abc, whsec_def' }, /STRIPE_WEBHOOK_SECRET must be/],
])('%j has a problem, and no value is repeated', (config, problem) => {
  const problems = stripeProblems(config);
  expect(problems).toEqual([expect.stringMatching(problem)]);
  expect(problems.join()).not.toMatch(/abc/);
});
