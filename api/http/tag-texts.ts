/** What each group of operations is for, as the reference says it beside the group's name. */
export const tagTexts: Readonly<Record<string, string>> = {
  Payments: 'Take money, capture, cancel and give it back; look payments and their callbacks up.',
  'Payment links': 'Pages that a payer opens by an address or a QR code, without a shop of yours.',
  Sessions: 'A hosted checkout, or a page to save a card, prepared for one payer.',
  Tokenizations: 'Save a card over the API.',
  Customers: 'Your payers, and the cards they saved.',
  Wallets: 'Wallet integrations of a merchant: configuration and certificates.',
  '3D Secure': 'Authenticate payers: settings per payment method, and a check beforehand.',
  Merchants: 'Merchants, their payment methods and logos.',
  Identity: 'Bearer tokens, for who does not send the API key with each call.',
  Testing: 'Test cards, amounts and wallet tokens. In testing environments only.',
  Operations: 'Health, readiness and the API documents.',
};
