/** Which commands decide the environment of a new database: none that only reads. */
import { randomBytes } from 'node:crypto';
import { commandGroups } from '../../scripts/gateway/commands/index.js';
import { exitCodes } from '../../scripts/gateway/run.js';
import { type Operator, openOperator } from '../support/operator.js';

const production = { GATEWAY_ENVIRONMENT: 'production', ALLOW_INSECURE_STORES: 'true' };
const unset = { GATEWAY_ENVIRONMENT: undefined };

let operator: Operator;
beforeEach(async () => {
  operator = await openOperator('new_database');
});
afterEach(() => operator.close());

const collections = async () => (await operator.database.connection.listCollections()).map(({ name }) => name);

test('reading commands leave a new database unclaimed, so that another environment can claim it', async () => {
  for (const words of ['clients list', 'audit list', 'updates list', 'safe-mode show', 'bins status']) {
    expect(await operator.gateway(words, unset)).toMatchObject({ code: exitCodes.done, err: '' });
  }
  expect(await collections()).toEqual([]);
  expect((await operator.gateway('clients create --name Shop', production)).code).toBe(exitCodes.done);
  const refused = await operator.gateway('clients list', unset);
  expect([refused.code, refused.err]).toEqual([
    exitCodes.notReady,
    expect.stringMatching(/belongs to the production environment/),
  ]);
});

test('a command that changes something claims the database, and another key is refused afterwards', async () => {
  expect((await operator.gateway('clients create --name Shop')).code).toBe(exitCodes.done);
  const other = await operator.gateway('clients list', { API_KEY_PEPPER: randomBytes(32).toString('base64') });
  expect([other.code, other.err]).toEqual([exitCodes.notReady, expect.stringContaining('API_KEY_PEPPER: not the key')]);
  expect((await operator.gateway('clients create --name Shop', production)).code).toBe(exitCodes.notReady);
});

test('every command that lists or shows something is declared as reading', () => {
  const looks = commandGroups
    .flatMap(({ commands }) => commands)
    .filter(({ path }) => ['list', 'show', 'status', 'verify'].includes(path.at(-1) ?? ''));
  expect(looks.length).toBeGreaterThan(8);
  expect(looks.filter(({ reads }) => reads !== true).map(({ path }) => path.join(' '))).toEqual([]);
});
