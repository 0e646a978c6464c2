/** The contract's own words: a field that stops being required or nullable is a break that the schemas cannot know of. */
export const contract: Record<string, { required: string; nullable: string }> = {
  createPayment: {
    required:
      'merchantId referenceId invoiceNumber paymentMethod amount amount.total amount.currency paymentMethod.card.number ' +
      'paymentMethod.card.expMonth paymentMethod.card.expYear items.0.name items.0.quantity items.0.price ' +
      'paymentMethod.card.cardholder.billingAddress.line1',
    nullable:
      'flow items browserDetails statementDescriptor capture customerId redirectUrl callbackUrl recurring metadata ' +
      'paymentMethod.source paymentMethod.id paymentMethod.paymentInstrument paymentMethod.networkToken ' +
      'paymentMethod.walletAPayToken paymentMethod.walletBPayToken paymentMethod.clickToPayToken paymentMethod.fields ' +
      'paymentMethod.card.cvc paymentMethod.card.cardholder paymentMethod.card.tokenizationSettings ' +
      'paymentMethod.card.tokenizationSettings.expiration paymentMethod.card.cardholder.identification.type ' +
      'paymentMethod.card.cardholder.identification.value paymentMethod.card.cardholder.billingAddress.city ' +
      'paymentMethod.card.cardholder.billingAddress.country',
  },
  verifyPayment: { required: 'merchantId referenceId amount amount.currency paymentMethod', nullable: 'invoiceNumber' },
  createCustomer: {
    required: 'address.line1 shipping.address.line1',
    nullable:
      'referenceId metadata description email phone firstName lastName document document.type document.value ' +
      'identification identification.type identification.value birthdate address address.city address.country ' +
      'address.state shipping status',
  },
  updateCustomer: {
    required: 'address.line1 shipping.address.line1',
    nullable:
      'referenceId metadata description email name phone firstName lastName document document.type document.value ' +
      'identification identification.type identification.value birthdate address address.city address.country ' +
      'address.state shipping status',
  },
  capturePayment: { required: 'referenceId', nullable: '' },
  cancelPayment: { required: 'referenceId', nullable: 'reason description' },
  refundPayment: { required: 'referenceId', nullable: 'reason description metadata' },
};
