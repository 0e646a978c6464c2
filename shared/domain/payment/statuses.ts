/** Payment and transaction statuses (docs/api.md#states). */
export const paymentStatuses = [
  'created',
  'pending',
  'authorized',
  'approved',
  'denied',
  'cancelled',
  'refunded',
  'partially-refunded',
  'expired',
  'failed',
] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const transactionStatuses = ['created', 'pending', 'approved', 'denied', 'expired', 'failed'] as const;
export type TransactionStatus = (typeof transactionStatuses)[number];

/** A transaction in one of these statuses may still get its outcome; every other status is final. */
export const openTransactionStatuses: readonly TransactionStatus[] = ['created', 'pending'];

export const isOpen = (status: TransactionStatus): boolean => openTransactionStatuses.includes(status);
