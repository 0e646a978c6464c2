/** Safe mode begun by hand, on a real MongoDB: books have to be compared from the time that the operator meant. */
import { exitCodes } from '../../scripts/gateway/run.js';
import type { FindingRow } from '../../shared/store/book-finding.repository.js';
import { beginSafeMode, readSafeMode } from '../../shared/store/restore-watch.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  operator = await openOperator('safe_mode');
});
beforeEach(async () => {
  await operator.database.collection('installation').deleteMany({ _id: 'safe-mode' as never });
});
afterAll(() => operator.close());

const fromNow = async () => (await readSafeMode(operator.database))?.from?.toISOString();
const audited = async () => (await operator.json('audit list --action safe-mode.begun'))[0].object;

test('in safe mode an earlier --since counts, and a later one changes nothing', async () => {
  const { json, gateway, database } = operator;
  await json('safe-mode begin --since 2025-02-01');
  expect(await json('safe-mode begin --since 2025-01-31')).toMatchObject({ from: '2025-01-31T00:00:00.000Z' });
  expect([await fromNow(), await audited()]).toEqual(['2025-01-31T00:00:00.000Z', '2025-01-31T00:00:00.000Z']);
  const later = await gateway('safe-mode begin --since 2025-02-03');
  expect([later.code, later.out]).toEqual([0, expect.stringMatching(/from +2025-01-31T00.*[\s\S]*from an earlier/)]);
  expect([await fromNow(), await audited()]).toEqual(['2025-01-31T00:00:00.000Z', '2025-01-31T00:00:00.000Z']);

  // The gateway began safe mode, because it found no mark.
  await database.collection('installation').deleteMany({ _id: 'safe-mode' as never });
  const noticed = { reason: 'the database lost its mark', since: new Date() };
  await beginSafeMode(database, noticed);
  expect(await json('safe-mode begin --since 2025-02-03')).toMatchObject({
    reason: noticed.reason,
    from: '2025-02-03T00:00:00.000Z',
  });
});

test.each([
  ['2025-01-31', '2025-01-31T00:00:00.000Z'],
  ['2025-01-31T12:00', '2025-01-31T12:00:00.000Z'],
  ['2025-01-31T12:00:00', '2025-01-31T12:00:00.000Z'],
  ['2025-01-31T12:00:00-03:00', '2025-01-31T15:00:00.000Z'],
])('--since %s is read as %s', async (since, expected) => {
  await operator.json(`safe-mode begin --since ${since}`);
  expect(await fromNow()).toBe(expected);
});

test('safe-mode show says whether it is on, and how a restore is noticed', async () => {
  const off = await operator.gateway('safe-mode show');
  expect([off.code, off.out]).toEqual([0, expect.stringMatching(/^Safe mode is off[\s\S]*until one has run/)]);
  await operator.json('safe-mode begin --since 2025-02-01');
  expect(await operator.json('safe-mode show')).toMatchObject({ safeMode: 'on', from: '2025-02-01T00:00:00.000Z' });
});

test('in safe mode a lost payment is settled only after the import tried to take it over', async () => {
  const { database, gateway } = operator;
  const rows = database.collection<FindingRow>('book_findings');
  const row = (key: string, more: Partial<FindingRow> = {}): FindingRow => ({
    ...{ _id: `sandbox:unknown-payment:${key}`, processor: 'sandbox', kind: 'unknown-payment', key },
    ...{ amountMinor: 100, currency: 'USD', foundAt: new Date(), status: 'open', ...more },
  });
  const lost = row('txn_1');
  const tried = row('txn_2', { note: 'its merchant is unknown' });
  const unpaid = row('txn_3', { kind: 'missing' });
  await rows.insertMany([lost, tried, unpaid]);
  const settle = async ({ _id }: FindingRow) => {
    const { code, err } = await gateway(['findings', 'settle', _id, '--note', 'refunded there']);
    return [code, (await rows.findOne({ _id }))?.status, err];
  };

  await operator.json('safe-mode begin --since 2025-02-01');
  expect(await settle(lost)).toEqual([
    exitCodes.refused,
    'open',
    expect.stringMatching(/`reconcile --import` comes first/),
  ]);
  expect((await settle(tried)).slice(0, 2)).toEqual([0, 'settled']);
  expect((await settle(unpaid)).slice(0, 2)).toEqual([0, 'settled']);
  await database.collection('installation').deleteMany({ _id: 'safe-mode' as never });
  expect((await settle(lost)).slice(0, 2)).toEqual([0, 'settled']);
});

describe.each(['safe-mode begin', 'reconcile', 'audit list'])('%s', (command) => {
  test.each(['2025-02-30T00:00:00Z', '2025-01-31 or so', '2025-13-01', 'yesterday', '31/01/2026', '2999-01-01'])(
    'refuses --since %s',
    async (since) => {
      const { code, err } = await operator.gateway([...command.split(' '), '--since', since]);
      expect([code, err]).toEqual([exitCodes.usage, expect.stringMatching(/--since (takes a date|is in the future)/)]);
      expect(await fromNow()).toBeUndefined();
    },
  );

  test('accepts a duration for --since', async () => {
    const { err } = await operator.gateway([...command.split(' '), '--since', '24h']);
    expect(err).not.toMatch(/--since/);
  });
});

test('a key cannot expire on a day that does not exist', async () => {
  const { clientId } = await operator.json('clients create --name Days');
  const { code } = await operator.gateway(`keys issue --client-id ${clientId} --expires-at 2999-02-30`);
  expect(code).toBe(exitCodes.usage);
});
