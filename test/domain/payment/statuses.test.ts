import { isOpen, openTransactionStatuses, transactionStatuses } from '../../../shared/domain/payment/statuses.js';

test('a transaction is open until it has its outcome', () => {
  expect(transactionStatuses.filter(isOpen)).toEqual(['created', 'pending']);
  expect(openTransactionStatuses).toEqual(['created', 'pending']);
});
