/** What takes long is in the audit when it begins: whatever cuts it off, what it has done by then is some operator's. */
import { soundSettings } from '../config/spawn-entry.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  // Nothing listens there.
  operator = await openOperator('long-in-audit', { ...soundSettings(), SANDBOX_PROCESSOR_URL: 'http://127.0.0.1:1' });
});
afterAll(() => operator.close());

async function actions(): Promise<string[]> {
  const entries: { action: string }[] = await operator.json('audit list');
  return entries.map(({ action }) => action);
}

test('an import that is cut off by a processor that lists nothing, which is said in a sentence', async () => {
  const { code, err } = await operator.gateway('reconcile --since 1h --import');
  expect([code, err]).toEqual([
    1,
    expect.stringMatching(/^gateway: sandbox: the processor did not list its books: .*\n$/),
  ]);
  expect((await actions()).sort()).toEqual(['books.import-begun', 'reconcile']);
});

test('sealing again', async () => {
  await operator.json('vault reencrypt --dry-run');
  expect(await actions()).not.toContain('vault.reencrypt-begun');
  await operator.json('vault reencrypt');
  expect(await actions()).toEqual(expect.arrayContaining(['vault.reencrypt-begun', 'vault.reencrypted']));
});

test('a new master key', async () => {
  await operator.json('vault keys rotate');
  expect(await actions()).toEqual(expect.arrayContaining(['vault.rewrap-begun', 'vault.rewrapped']));
});
