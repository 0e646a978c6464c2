/** What each group of operations is for; the API reference shows it beside the group's name. */
export const tagTexts: Readonly<Record<string, string>> = {
  Payments: 'Create, capture, cancel and refund payments; read payments and their callbacks.',
  'Payment links': 'Hosted pages that payers open by an address or a QR code.',
  Sessions: 'A hosted checkout, or a page to save a card, for one payer.',
  Tokenizations: 'Save a card over the API.',
  Customers: 'Your payers, and the cards they saved.',
  Wallets: 'Wallet integrations of a merchant: configuration and certificates.',
  '3D Secure': 'Authenticate payers: settings per payment method, and a check before a payment.',
  Merchants: 'Merchants, their payment methods and logos.',
  Identity: 'Bearer tokens, instead of the API key in each call.',
  Testing: 'Test cards, amounts and wallet tokens. In testing environments only.',
  Operations: 'Health, readiness and the API documents.',
};
