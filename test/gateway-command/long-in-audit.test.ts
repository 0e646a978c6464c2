/** A long command is in the audit log when it begins: if it is interrupted, the operator of its changes is still known. */
import { soundSettings } from '../config/spawn-entry.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  // No server listens at this address.
  operator = await openOperator('long-in-audit', { ...soundSettings(), SANDBOX_PROCESSOR_URL: 'http://127.0.0.1:1' });
});
afterAll(() => operator.close());

async function actions(): Promise<string[]> {
  const entries: { action: string }[] = await operator.json('audit list');
  return entries.map(({ action }) => action);
}

test('an import that a processor interrupts is in the audit log, and its error is one sentence', async () => {
  const { code, err } = await operator.gateway('reconcile --since 1h --import');
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^gateway: sandbox: the processor did not list its books: .*\n$/),
  ]);
  expect((await actions()).sort()).toEqual(['books.import-begun', 'reconcile']);
});

test('a reencryption is in the audit log when it begins, and a dry run is not', async () => {
  await operator.json('vault reencrypt --dry-run');
  expect(await actions()).not.toContain('vault.reencrypt-begun');
  await operator.json('vault reencrypt');
  expect(await actions()).toEqual(expect.arrayContaining(['vault.reencrypt-begun', 'vault.reencrypted']));
});

test('a new master key is in the audit log when the rewrap begins', async () => {
  await operator.json('vault keys rotate');
  expect(await actions()).toEqual(expect.arrayContaining(['vault.rewrap-begun', 'vault.rewrapped']));
});
