/** `stripe` against a server that answers according to Stripe's API reference. */
import type { ProcessorCard } from '../../shared/processors/processor.js';
import { createStripeProcessor } from '../../shared/processors/stripe/create-stripe-processor.js';
import { keepingLog } from '../processors/keeping-log.js';
import { startFakeStripe } from '../processors/stripe/fake-stripe.js';
import { describeProcessor } from './processor-suite.js';
import type { ProcessorHarness } from './suite.js';

const KEY = 'sk_test_conformance';
const card: Omit<ProcessorCard, 'number'> = { expMonth: 12, expYear: 2034, cvc: '123', holderName: 'Ana Paz' };

const tampered = {
  key: [/"gateway_key":"[^"]*"/g, '"gateway_key":"txn_another"'],
  amount: [/"(amount|amount_received)":\d+/g, '"$1":7'],
  currency: [/"currency":"usd"/g, '"currency":"eur"'],
} as const;

async function makeHarness(): Promise<ProcessorHarness> {
  const stripe = await startFakeStripe([KEY]);
  const log = keepingLog();
  return {
    address: stripe.url,
    connect: (baseUrl, timeoutMs) => createStripeProcessor({ baseUrl, secretKey: KEY, timeoutMs, log }),
    cards: { approved: { ...card, number: '4242424242424242' }, declined: { ...card, number: '4000000000000002' } },
    currency: 'USD',
    acquirer: 'stripe',
    inquiryLagMs: 0,
    looksUpFirst: true,
    books: async () => stripe.books,
    tamper: (field, answer) => answer.replaceAll(...(tampered[field] as unknown as [RegExp, string])),
    logged: log.text,
    close: stripe.close,
  };
}

describeProcessor('stripe', makeHarness);
