/** What the start page of the sandbox opens: each is one call of the public API, shown as the `curl` that makes it. */
import { numberFor } from '../../../shared/processors/test-figures.js';
import type { SandboxFile } from '../../../shared/provisioning/sandbox-file.js';

export interface DemoCall {
  readonly path: string;
  readonly body: object;
}

export interface Demo {
  readonly name: string;
  readonly about: string;
  /** What has to be there before; it may be there already (`409`). */
  readonly before?: (sandbox: SandboxFile) => DemoCall;
  readonly call: (sandbox: SandboxFile, reference: string, inboxUrl: string) => DemoCall;
  /** Which address of the answer is opened; `frame`: inside a page that plays the shop. */
  readonly open: { readonly rel: 'self' | 'REDIRECT' | 'EMBEDDED' | 'shareUrl'; readonly frame?: boolean };
}

const session = (
  { merchants }: SandboxFile,
  { reference, inboxUrl, merchant = 0 }: { reference: string; inboxUrl: string; merchant?: number },
  request: object,
  settings: object = {},
): DemoCall => ({
  path: '/v1/sessions',
  body: {
    merchantId: merchants[merchant]?.id,
    referenceId: `session-${reference}`,
    type: 'checkout',
    paymentRequest: { referenceId: reference, invoiceNumber: 'A-000731', ...request },
    settings: { callbacks: { paymentCallbackUrl: inboxUrl }, ...settings },
  },
});

const tokenization = ({ merchants }: SandboxFile, reference: string, inboxUrl: string): DemoCall => ({
  path: '/v1/sessions',
  body: {
    merchantId: merchants[0]?.id,
    referenceId: `session-${reference}`,
    type: 'tokenization',
    settings: { tokenization: { type: 'store' }, callbacks: { tokenizationCallbackUrl: inboxUrl } },
  },
});

const dollars = (total: string) => ({ amount: { total, currency: 'USD' } });

/** By the value of the button that opens it. */
export const demos: Readonly<Record<string, Demo>> = {
  checkout: {
    name: 'Checkout',
    about: 'A fixed amount, by card',
    call: (sandbox, reference, inboxUrl) => session(sandbox, { reference, inboxUrl }, dollars('122.00')),
    open: { rel: 'self' },
  },
  flexible: {
    name: 'Checkout, any amount',
    about: 'The payer says how much, within bounds',
    call: (sandbox, reference, inboxUrl) =>
      session(
        sandbox,
        { reference, inboxUrl },
        { amount: {} },
        {
          checkout: {
            amountMode: 'flexible',
            flexibleAmount: { allowedCurrencies: ['USD', 'UYU'], minAmount: '5', maxAmount: '500' },
          },
        },
      ),
    open: { rel: 'self' },
  },
  threeds: {
    name: '3-D Secure',
    about: `Pay with ${numberFor('threeds-challenge')}; you are the issuer`,
    before: ({ merchants }) => ({
      path: `/v1/merchants/${merchants[1]?.id}/payment-methods/visa/threeds`,
      body: {
        provider: 'sandbox',
        metadata: { acquirerBin: '400000', acquirerMerchantId: '123456789' },
        enabled: true,
      },
    }),
    call: (sandbox, reference, inboxUrl) => session(sandbox, { reference, inboxUrl, merchant: 1 }, dollars('122.00')),
    open: { rel: 'self' },
  },
  transfer: {
    name: 'Bank transfer',
    about: 'A QR code, paid after 5 seconds',
    call: (sandbox, reference, inboxUrl) =>
      session(sandbox, { reference, inboxUrl }, dollars('9100.00'), { paymentMethodTypes: ['bank-transfer'] }),
    open: { rel: 'self' },
  },
  link: {
    name: 'Payment link',
    about: 'Items, divided between two merchants',
    call: ({ merchants }, reference, inboxUrl) => ({
      path: '/v1/payment-links',
      body: {
        merchantId: merchants[0]?.id,
        type: 'one-time',
        ...dollars('122.00'),
        settings: { amountMode: 'fixed', callbackUrl: inboxUrl },
        displayName: reference,
        items: [{ name: 'Book', quantity: 2, price: '61.00' }],
        splitDestinations: [
          { destinationMerchantId: merchants[1]?.id, amountRule: { type: 'percentage', value: '10' } },
        ],
      },
    }),
    open: { rel: 'shareUrl' },
  },
  tokenization: {
    name: 'Save a card',
    about: 'A page of its own',
    call: tokenization,
    open: { rel: 'REDIRECT' },
  },
  embedded: {
    name: 'Save a card, embedded',
    about: 'The form inside a page of the shop',
    call: tokenization,
    open: { rel: 'EMBEDDED', frame: true },
  },
};
