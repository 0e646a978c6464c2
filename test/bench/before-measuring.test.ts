import { perPayment, readMongodbStatus, readRedisInfo } from '../../bench/measure/server-work.mjs';
import { copyOf } from '../../bench/stored/fill.mjs';
import { isSettled } from '../../bench/warm-up.mjs';

test.each([
  ['nothing was measured', [], false],
  ['too few rounds', [5, 5], false],
  ['still getting cheaper', [9, 6, 4, 3], false],
  ['the last two brought nothing', [9, 5, 5.1, 4.9], true],
  ['the last one brought nothing, the one before did', [9, 6, 4, 4], false],
])('costs are judged as settled only after two rounds without gain: %s', (_what, costs, settled) => {
  expect(isSettled(costs)).toBe(settled);
});

test('counters of both servers are read, and counted per payment', () => {
  const status = (times: number) => ({
    metrics: {
      commands: { insert: { total: times }, update: { total: 2 * times }, hello: { total: 99 } },
      document: { inserted: times },
    },
    wiredTiger: { log: { 'log sync operations': times, 'log bytes written': 1_000 * times } },
    network: { bytesIn: times, bytesOut: times },
  });
  const work = perPayment(readMongodbStatus(status(10)), readMongodbStatus(status(30)), 10);
  expect(work).toMatchObject({ 'mongodb commands': 6, 'mongodb journal syncs': 2, 'mongodb journal bytes': 2_000 });
  const info = 'total_commands_processed:12\r\ncmdstat_evalsha:calls=7,usec=1\r\ntotal_net_input_bytes:5\r\n';
  expect(readRedisInfo(info)).toMatchObject({ 'redis commands': 12, 'redis scripts': 7, 'redis bytes in': 5 });
});

const DAY_MS = 86_400_000;
const example = {
  _id: 'pay_1',
  refKeys: ['payment:r'],
  referenceId: 'r',
  amount: { totalMinor: 1, currency: 'USD', taxMinor: 1 },
  paymentMethod: { id: 'visa', type: 'card' },
  card: { ct: 'sealed' },
  cardDestroyAt: new Date(0),
  transactions: [{ id: 'txn_1', status: 'approved' }],
};

test('a payment that only fills the database is a new payment and is marked as filled', () => {
  const copy = copyOf(example, 8, 1_000, 2_000);
  expect(copy).toMatchObject({
    traceId: 'filled',
    referenceId: 'filled-8',
    refKeys: ['payment:filled-8'],
    createdAt: new Date(1_000),
    amount: { taxMinor: 1 },
    paymentMethod: { type: 'card' },
    card: { ct: 'sealed' },
    cardDestroyAt: new Date(1_000 + DAY_MS),
  });
  expect(copy._id).not.toBe(example._id);
  expect(copy.transactions[0]).toMatchObject({ status: 'approved', referenceId: 'filled-8' });
  expect(copy.transactions[0].id).not.toBe('txn_1');
});

test('an old copy has no card, and an unsettled copy has work that no worker takes', () => {
  expect(copyOf(example, 8, 1_000, 1_001 + DAY_MS)).not.toHaveProperty('card');
  const open = copyOf(example, 17, 1_000, 2_000);
  expect(open).toMatchObject({ status: 'created', work: { txId: open.transactions[0].id } });
  expect(open.work.dueAt.getTime()).toBeGreaterThan(365 * DAY_MS);
});
