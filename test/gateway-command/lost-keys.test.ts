/** A master key that is lost, or missing in the settings of a command: the rest is still processed, and people learn what is not. */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../../config/limits.js';
import { exitCodes } from '../../scripts/gateway/run.js';
import type { Log } from '../../shared/log.js';
import { openVault } from '../../shared/vault/open-vault.js';
import { reportKeys } from '../../shared/vault/report-keys.js';
import { soundSettings } from '../config/spawn-entry.js';
import { type Operator, openOperator } from '../support/operator.js';

const silent: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, with: () => silent };
const keys = ['m1', 'm2', 'm3'].map((id) => ({ id, key: randomBytes(32) }));
const [m1, m2] = keys as [(typeof keys)[0], (typeof keys)[0]];
const settingOf = (...ids: string[]) => ({
  VAULT_MASTER_KEYS: ids
    .map((id) => `${id}:${keys.find((known) => known.id === id)?.key.toString('base64')}`)
    .join(','),
});

let operator: Operator;
let folder: string;
beforeAll(async () => {
  operator = await openOperator('lost_keys', { ...soundSettings(), ...settingOf('m3', 'm2') });
  folder = await mkdtemp(join(tmpdir(), 'lost-keys-'));
});
afterAll(async () => {
  await operator.close();
  await rm(folder, { recursive: true, force: true });
});

/** Stores a payment whose card was sealed some hours ago under a master key. */
async function storePayment(_id: string, master: (typeof keys)[0], hoursAgo: number) {
  const { database } = operator;
  const clock = { now: () => new Date(Date.now() - hoursAgo * limits.dataKeyEpochMs) };
  const owner = { merchantId: 1001, customerId: undefined };
  const binding = { recordId: _id, field: 'card', clientId: 'cli_1', owner };
  const card = await openVault(database, { vaultMasterKeys: [master] }, clock).seal('card', '{}', binding);
  const row = { _id, clientId: 'cli_1', merchantId: 1001, version: 1, refKeys: [_id], card };
  await database.collection<{ _id: string }>('payments').insertOne(row);
}

const running = (...masterKeys: typeof keys) =>
  reportKeys({ database: operator.database, config: { vaultMasterKeys: masterKeys }, role: 'web', log: silent });

test('a key that a running process holds must be in the settings of the command too', async () => {
  await storePayment('pay_lost', m1, 3);
  await storePayment('pay_kept', m2, 2);
  const stop = await running(...keys);
  for (const command of ['vault keys rotate', 'vault reencrypt']) {
    const { code, out, err } = await operator.gateway(command);
    expect([command, code, out]).toEqual([command, exitCodes.refused, '']);
    expect(err).toMatch(/^gateway: VAULT_MASTER_KEYS lacks m1, which running processes hold\. Add it\.\n$/);
  }
  await stop();
});

test('the other data keys are wrapped with the new key, and the remaining ones are named', async () => {
  const { code, out, err } = await operator.gateway('vault keys rotate');
  expect([code, err]).toEqual([exitCodes.refused, '']);
  expect(out).toMatch(/Wrapped 1 data key with master key m3\./);
  expect(out).toMatch(/Left as they are:\n {2}Data key card:\d+ needs master key m1, which is not configured/);
  expect(await operator.database.collection('vault_keys').distinct('masterKeyId')).toEqual(['m1', 'm3']);
});

test('the other cards are sealed again, and those that do not open are named', async () => {
  const { code, out } = await operator.gateway('vault reencrypt --json', settingOf('m3'));
  expect(code).toBe(exitCodes.refused);
  expect(JSON.parse(out)).toMatchObject({ sealedAgain: 1, unopened: 1, unopenedRecords: ['payments pay_lost'] });
});

test('credentials that cannot be sealed are refused with a sentence', async () => {
  const { clientId } = await operator.json('clients create --name Shop');
  const { merchantId } = await operator.json(`merchants create --client-id ${clientId} --name Shop`);
  const file = join(folder, 'stripe.json');
  await writeFile(file, JSON.stringify({ secretKey: 'sk_test_1', webhookSecret: 'whsec_1' }));
  const stop = await running(m1);
  const set = `credentials set ${merchantId} stripe --file ${file} --as alice`;
  const { code, err } = await operator.gateway(set, settingOf('m2'));
  expect([code, err]).toEqual([
    exitCodes.refused,
    expect.stringMatching(/^gateway: No master key is held by all: web on \S+ \(pid \d+\) lacks m2\n$/),
  ]);
  await stop();
  expect(await operator.json('audit list --by operator:alice')).toMatchObject([
    { action: 'credentials set', outcome: 'refused' },
  ]);
});
