/** An API key is in the audit log before it is stored: if its command is interrupted in between, no key is missing from the log. */
import { API_KEYS } from '../../shared/store/client.model.js';
import { type Operator, openOperator } from '../support/operator.js';

let operator: Operator;
beforeAll(async () => {
  operator = await openOperator('keys-in-audit');
});
afterAll(() => operator.close());

test('a key that was not stored is in the audit log with its client', async () => {
  const { gateway, json, database } = operator;
  const { clientId } = await json('clients create --name Shop');
  const { keyId } = await json(`keys issue --client-id ${clientId}`);
  // From now on MongoDB refuses to store a key.
  await database.connection.db?.command({ collMod: API_KEYS, validator: { never: true } });

  expect((await gateway(`keys issue --client-id ${clientId}`)).code).not.toBe(0);
  expect((await gateway(`keys rotate ${keyId}`)).code).not.toBe(0);

  const entries: { action: string; object: string; client: string }[] = await json('audit list');
  const keys = entries.filter(({ action }) => action.startsWith('key.'));
  expect(keys.map(({ action }) => action).sort()).toEqual(['key.issued', 'key.issued', 'key.rotated']);
  expect(keys.map(({ client }) => client)).toEqual([clientId, clientId, clientId]);
  expect(keys.find(({ action }) => action === 'key.rotated')?.object).toMatch(new RegExp(`^${keyId}/key_`));
  expect(await json(`keys list --client-id ${clientId}`)).toMatchObject([{ keyId, expiresAt: null }]);
});
