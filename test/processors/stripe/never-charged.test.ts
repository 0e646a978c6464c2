/** PaymentIntents that were made and never charged: a fault interrupted the charge, or the payer would have to act. */
import type { Processor } from '../../../shared/processors/processor.js';
import { createStripeProcessor } from '../../../shared/processors/stripe/create-stripe-processor.js';
import { keepingLog } from '../keeping-log.js';
import { type FakeStripe, startFakeStripe } from './fake-stripe.js';
import { base, request } from './stripe-requests.js';

const KEY = 'sk_test_installation';
let stripe: FakeStripe;
let processor: Processor;
beforeAll(async () => {
  stripe = await startFakeStripe([KEY]);
  processor = createStripeProcessor({ baseUrl: stripe.url, secretKey: KEY, timeoutMs: 30_000, log: keepingLog() });
});
afterAll(async () => {
  await processor.close();
  await stripe.close();
});

const about = ({ key, amountMinor, currency }: ReturnType<typeof request>) => ({ ...base, key, amountMinor, currency });

async function abandonedIntent(status: string) {
  const sent = request();
  await processor.authorize(sent);
  const intent = [...stripe.intents.values()].find(({ metadata }) => metadata['gateway_key'] === sent.key);
  if (!intent) throw new Error('it was not made');
  Object.assign(intent, { status, received: 0 });
  return { sent, intent };
}

test.each(['requires_confirmation', 'requires_action', 'requires_payment_method'])(
  'an intent in the state %s is not found, and its reversal cancels it',
  async (status) => {
    const { sent, intent } = await abandonedIntent(status);
    for (const references of [{}, { processorReference: intent.id }]) {
      expect(await processor.inquire({ ...about(sent), operation: 'authorize', references })).toEqual({
        kind: 'not-found',
      });
    }
    const reversal = { ...about(sent), key: `${sent.key}-reverse`, original: sent.key, originalReferences: {} };
    expect(await processor.reverse(reversal)).toMatchObject({ kind: 'reversed' });
    expect(intent.status).toBe('canceled');
  },
);

test('an intent that Stripe has named and does not know is in another account: no answer, and nothing counts as reversed', async () => {
  const sent = request();
  const references = { processorReference: 'pi_of_another_account' };
  const asked = { ...about(sent), operation: 'authorize', references } as const;
  expect(await processor.inquire(asked)).toMatchObject({ kind: 'no-answer' });
  const reversal = { ...about(sent), key: `${sent.key}-reverse`, original: sent.key, originalReferences: references };
  expect(await processor.reverse(reversal)).toMatchObject({ kind: 'no-answer' });
  // Without an id, the list shows that there is none.
  expect(await processor.inquire({ ...asked, references: {} })).toEqual({ kind: 'not-found' });
  expect(await processor.reverse({ ...reversal, originalReferences: {} })).toEqual({ kind: 'nothing-found' });
});

test('for a merchant without an account nothing is sent, and the route of the others is not blamed', async () => {
  const keyless = createStripeProcessor({ baseUrl: stripe.url, timeoutMs: 30_000, log: keepingLog() });
  // `blocked`: the breaker of the route does not count it.
  expect(await keyless.authorize(request())).toMatchObject({ kind: 'not-sent', blocked: 'route' });
  await keyless.close();
});

test('an intent in an unknown state is no answer', async () => {
  const { sent } = await abandonedIntent('requires_patience');
  const asked = { ...about(sent), operation: 'authorize', references: {} } as const;
  expect(await processor.inquire(asked)).toMatchObject({ kind: 'no-answer' });
});
