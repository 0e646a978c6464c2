/** Worked examples of sessions. */
const callbacks = { paymentCallbackUrl: 'https://shop.example.com/callbacks/payments' };
const redirects = {
  defaultUrl: 'https://shop.example.com/thanks',
  cancelUrl: 'https://shop.example.com/cart',
};
const features = ['create', 'list', 'select', 'delete'];
const paymentRequest = {
  referenceId: 'order-2001',
  invoiceNumber: 'INV-2001',
  amount: { total: 120.5, currency: 'USD' },
};

export const checkoutRequest = {
  merchantId: 1001,
  referenceId: 'session-2001',
  type: 'checkout',
  paymentRequest,
  settings: { callbacks, redirects },
};

export const tokenizationRequest = {
  merchantId: 1001,
  referenceId: 'session-2002',
  type: 'tokenization',
  customerId: 'cus_5d0c6f2f1e7a4b0b9a3c1d2e3f405162',
  settings: {
    tokenization: { type: 'store', verifyFunds: { amount: 1, currency: 'USD' } },
    callbacks: { tokenizationCallbackUrl: 'https://shop.example.com/callbacks/cards' },
    redirects,
  },
};

const times = {
  createdAt: '2026-11-20T12:00:00.000Z',
  updatedAt: '2026-11-20T12:00:00.000Z',
  expiresAt: '2026-11-20T13:00:00.000Z',
};
const base = 'https://gateway.example.com';
const token = 'token=5yD8pUqJ0w3l2mE1n4o7p9q6r8s5t2u1v4w7x0y3z6A';

export const checkoutSession = {
  id: 'ses_0b6f6c0f5b7e4d2a9c1e3f5a7b9d1c3e',
  merchantId: 1001,
  referenceId: 'session-2001',
  type: 'checkout',
  status: 'pending',
  ...times,
  paymentRequest,
  actions: [
    { rel: 'self', href: `${base}/checkout/ses_0b6f6c0f5b7e4d2a9c1e3f5a7b9d1c3e?${token}`, method: 'REDIRECT' },
  ],
  settings: {
    paymentMethodTypes: ['card', 'bank-transfer'],
    tokenization: { type: 'temporal', features },
    checkout: { amountMode: 'fixed', disableThreeds: false },
    callbacks,
    redirects,
  },
};

export const tokenizationSession = {
  id: 'ses_7c1d9e3f5a7b4d2a9c1e3f5a7b9d1c3e',
  merchantId: 1001,
  referenceId: 'session-2002',
  type: 'tokenization',
  status: 'pending',
  ...times,
  customerId: 'cus_5d0c6f2f1e7a4b0b9a3c1d2e3f405162',
  actions: [
    { rel: 'REDIRECT', href: `${base}/tokenization/ses_7c1d9e3f5a7b4d2a9c1e3f5a7b9d1c3e?${token}` },
    { rel: 'EMBEDDED', href: `${base}/tokenization/embedded/ses_7c1d9e3f5a7b4d2a9c1e3f5a7b9d1c3e?${token}` },
  ],
  settings: {
    paymentMethodTypes: ['card'],
    tokenization: { type: 'store', features, verifyFunds: { amount: 1, currency: 'USD' } },
    callbacks: { tokenizationCallbackUrl: 'https://shop.example.com/callbacks/cards' },
    redirects,
  },
};
