/** Commands with a problem, on a real MongoDB: people and scripts learn the reason, and the exit code is not 0. */
import { randomBytes } from 'node:crypto';
import { exitCodes } from '../../scripts/gateway/run.js';
import { beginSafeMode } from '../../shared/store/restore-watch.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  operator = await openOperator('reconcile_command', {
    STRIPE_MERCHANT_ACCOUNTS: 'true',
    VAULT_MASTER_KEYS: `m1:${randomBytes(32).toString('base64')}`,
  });
});
afterAll(() => operator.close());

test.each(['reconcile --processor stripe', 'reconcile --processor stripe --import'])(
  '%s compares nothing, and says so',
  async (command) => {
    const { code, out } = await operator.gateway(command);
    expect([code, out]).toEqual([
      exitCodes.refused,
      expect.stringMatching(/Cannot be listed: stripe\..*\nNothing was/),
    ]);
    expect(out).not.toMatch(/Nothing differs/);
  },
);

test('a script reads why safe mode stays on', async () => {
  const since = new Date();
  await beginSafeMode(operator.database, { reason: 'a test', since, from: since });
  await operator.json(['clients', 'create', '--name', 'Shop']);
  const { code, out, err } = await operator.gateway('reconcile --json');
  expect([code, err]).toEqual([exitCodes.refused, '']);
  expect(JSON.parse(out)).toMatchObject({
    since: new Date(since.getTime() - 24 * 3_600_000).toISOString(),
    safeMode: 'on',
    // No merchant uses stripe any more, but refunds of earlier payments go there.
    blockedBy: ['nothing was imported: run it with --import', expect.stringMatching(/^stripe was not compared/)],
    findings: [],
    listed: [],
    held: [],
  });
});

test('a script reads which records have an envelope that does not open', async () => {
  const envelope = { v: 1, alg: 'A256GCM', kid: 'card:1', iv: Buffer.alloc(12), ct: Buffer.alloc(24) };
  const row = { _id: 'pay_1', clientId: 'cli_1', merchantId: 1001, version: 1, refKeys: ['pay_1'], card: envelope };
  await operator.database.collection<{ _id: string }>('payments').insertOne(row);
  const { code, out, err } = await operator.gateway('vault reencrypt --json');
  expect([code, err]).toEqual([exitCodes.refused, '']);
  expect(JSON.parse(out)).toMatchObject({ unopened: 1, unopenedRecords: ['payments pay_1'] });
  const said = await operator.gateway('vault reencrypt');
  expect([said.code, said.err]).toEqual([exitCodes.refused, expect.stringMatching(/pay_1: left as it is/)]);
  // People have read each with its reason; one line of all of them would be too long to be read.
  expect(said.out).toMatch(/unopened +1\n/);
  expect(said.out).not.toContain('pay_1');
});
