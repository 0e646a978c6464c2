/** What an operator reads about a difference between the books of a processor and the payments. */
import { findingRow } from '../../scripts/gateway/commands/reconcile.js';
import type { FindingRow } from '../../shared/store/book-finding.repository.js';

const row: FindingRow = {
  _id: 'sandbox:amount-differs:txn_1',
  processor: 'sandbox',
  kind: 'amount-differs',
  key: 'txn_1',
  paymentId: 'pay_1',
  amountMinor: 900,
  currency: 'JPY',
  foundAt: new Date('2026-03-04T05:06:07Z'),
  status: 'open',
};

test.each<[string, Partial<FindingRow>, object]>([
  ['the same amount', {}, {}],
  [
    'another amount and currency',
    { heldMinor: 1_050, heldCurrency: 'USD' },
    { gatewayAmount: '10.50', gatewayCurrency: 'USD' },
  ],
  [
    'another amount, as an earlier release stored it',
    { heldMinor: 1_050 },
    { gatewayAmount: '1050', gatewayCurrency: 'JPY' },
  ],
])('a difference names the amount of the processor, and of the gateway where it has %s', (_name, held, shown) => {
  const { amount, currency, gatewayAmount, gatewayCurrency } = findingRow({ ...row, ...held });
  expect([amount, currency]).toEqual(['900', 'JPY']);
  expect({ gatewayAmount, gatewayCurrency }).toEqual({
    gatewayAmount: undefined,
    gatewayCurrency: undefined,
    ...shown,
  });
});
