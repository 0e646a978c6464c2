/** The demos on the sandbox's start page: each is one call of the public API, shown as the `curl` command that makes it. */
import { numberFor, testFigures } from '../../testing/test-figures.js';
import type { SandboxFile } from './sandbox-file.js';

export interface DemoCall {
  /** `POST` by default. */
  readonly method?: 'PUT';
  readonly path: string;
  readonly body: object;
}

export interface Demo {
  readonly name: string;
  readonly about: string;
  /** A call that has to be made before; the object may exist already (`409`). */
  readonly before?: (sandbox: SandboxFile) => DemoCall;
  /** The call is about a payer with saved cards, who is created first. */
  readonly payer?: boolean;
  /** @param payerId id of a payer with saved cards; a placeholder in the call that is shown. */
  readonly call: (sandbox: SandboxFile, reference: string, inboxUrl: string, payerId: string) => DemoCall;
  /** Which address of the answer is opened; `frame`: inside a page that acts as the shop. */
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

export const newPayer: DemoCall = {
  path: '/v1/customers',
  body: { firstName: 'Lucía', lastName: 'Ferreira' },
};

/** One approving card of each of two brands. */
const SAVED_CARDS = ['visa', 'mastercard'].flatMap(
  (brand) => testFigures.cards.find((card) => card.brand === brand && card.outcome === 'approved')?.number ?? [],
);

/** Returns the payments that save the payer's cards. */
export const savingCalls = ({ merchants }: SandboxFile, reference: string, payerId: string): readonly DemoCall[] =>
  SAVED_CARDS.map((number, index) => ({
    path: '/v1/payments',
    body: {
      merchantId: merchants[0]?.id,
      referenceId: `${reference}-${index}`,
      invoiceNumber: '1001',
      customerId: payerId,
      amount: { total: '1.00', currency: 'USD' },
      paymentMethod: {
        source: 'card',
        card: { number, expMonth: 12, expYear: 2034, cvc: '123', tokenizationSettings: { type: 'store' } },
      },
    },
  }));

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

/** Demos by the value of the button that opens them. */
export const demos: Readonly<Record<string, Demo>> = {
  checkout: {
    name: 'Checkout',
    about: 'A fixed amount, by card',
    call: (sandbox, reference, inboxUrl) => session(sandbox, { reference, inboxUrl }, dollars('122.00')),
    open: { rel: 'self' },
  },
  saved: {
    name: 'Saved cards',
    about: 'A payer who comes again',
    payer: true,
    call: (sandbox, reference, inboxUrl, customerId) => {
      const { path, body } = session(sandbox, { reference, inboxUrl }, dollars('122.00'));
      return { path, body: { ...body, customerId } };
    },
    open: { rel: 'self' },
  },
  wallet: {
    name: 'Wallet',
    about: 'A mock wallet above the card form',
    before: ({ merchants }) => ({
      method: 'PUT',
      path: `/v1/merchants/${merchants[1]?.id}/wallet-integrations/wallet-a-pay`,
      body: {
        tosAccepted: true,
        walletAPayProfile: { walletMerchantName: 'Sandbox Coffee', allowedOrigins: ['https://shop.example.com'] },
      },
    }),
    call: (sandbox, reference, inboxUrl) => session(sandbox, { reference, inboxUrl, merchant: 1 }, dollars('122.00')),
    open: { rel: 'self' },
  },
  flexible: {
    name: 'Any amount',
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
    name: '3D Secure',
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
    call: ({ merchants }, _reference, inboxUrl) => ({
      path: '/v1/payment-links',
      body: {
        merchantId: merchants[0]?.id,
        type: 'one-time',
        ...dollars('122.00'),
        settings: { amountMode: 'fixed', callbackUrl: inboxUrl },
        displayName: 'Order 10482',
        description: 'Three books, delivered in Montevideo.',
        items: [
          { name: 'Atlas of rivers', quantity: 1, price: '80.00' },
          {
            name: 'Notebook, ruled',
            quantity: 2,
            price: '12.50',
            discount: '5.00',
            tax: { amount: '22.00', currency: 'USD' },
          },
        ],
        splitDestinations: [
          { destinationMerchantId: merchants[1]?.id, amountRule: { type: 'percentage', value: '10' } },
        ],
      },
    }),
    open: { rel: 'shareUrl' },
  },
  quickPay: {
    name: 'Quick-pay',
    about: 'At the counter: amount and card on one page',
    call: ({ merchants }, _reference, inboxUrl) => ({
      path: '/v1/payment-links',
      body: {
        merchantId: merchants[0]?.id,
        type: 'quick-pay',
        displayName: 'At the counter',
        settings: {
          amountMode: 'flexible',
          flexibleAmount: { minAmount: '5', maxAmount: '500', allowedCurrencies: ['USD', 'UYU'] },
          callbackUrl: inboxUrl,
        },
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
