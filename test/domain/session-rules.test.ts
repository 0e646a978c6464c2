import { chooseAmount } from '../../shared/domain/session/rules.js';
import { nextSessionStatus, sessionEvents, sessionStatuses } from '../../shared/domain/session/statuses.js';

test('a session has exactly the moves of this table', () => {
  const moves = sessionStatuses.flatMap((from) =>
    sessionEvents.flatMap((event) => {
      const to = nextSessionStatus(from, event);
      return to ? [`${from} ${event} ${to}`] : [];
    }),
  );
  expect(moves).toEqual([
    'pending succeeded completed',
    'pending ran-out expired',
    'pending cancelled cancelled',
    'expired succeeded completed',
  ]);
});

describe('a chosen amount', () => {
  const bounds = { allowedCurrencies: ['USD', 'JPY'], minAmount: '5', maxAmount: '20.50' };
  test.each([
    ['5', 'USD', 500],
    ['5.00', 'USD', 500],
    ['20.5', 'USD', 2050],
    ['20', 'JPY', 20],
  ])('%s %s is within the bounds', (total, currency, totalMinor) => {
    expect(chooseAmount(bounds, { total, currency })).toEqual({ kind: 'amount', totalMinor, currency });
  });
  test.each([
    ['4.99', 'USD', 'total'],
    ['20.51', 'USD', 'total'],
    ['20.5', 'JPY', 'total'],
    ['1e1', 'USD', 'total'],
    ['-6', 'USD', 'total'],
    ['NaN', 'USD', 'total'],
    ['6', 'EUR', 'currency'],
  ])('%s %s is refused', (total, currency, field) => {
    expect(chooseAmount(bounds, { total, currency })).toMatchObject({ kind: 'problem', field });
  });
});
