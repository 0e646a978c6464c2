/** A MongoDB that answers, but takes no writes, as while an operator moves it: the doctor says so, and leaves nothing there. */
import { checkWrites } from '../../scripts/gateway/doctor/check-mongodb.js';
import type { ExaminedDatabase } from '../../scripts/gateway/doctor/examined.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { type OwnMongo, startOwnMongo } from '../support/own-servers.js';

let server: OwnMongo;
let database: Database;
beforeAll(async () => {
  server = await startOwnMongo();
  database = await openDatabase(server.uri('blocked'));
});
afterAll(async () => {
  await database?.close();
  await server?.stop();
});

const block = (global: boolean) =>
  database.connection.getClient().db('admin').command({ setUserWriteBlockMode: 1, global });
const check = async () => (await checkWrites({ database } as ExaminedDatabase))[0];

test('blocked writes are wrong, and accepted ones leave nothing', async () => {
  expect(await check()).toMatchObject({ state: 'ok' });
  await block(true);
  expect(await check()).toMatchObject({
    state: 'wrong',
    found: expect.stringMatching(/^MongoDB refused: /),
    todo: expect.stringContaining('Payments are refused'),
  });
  await block(false);
  expect(await check()).toMatchObject({ state: 'ok' });
  expect(await database.connection.db?.listCollections().toArray()).toEqual([]);
});
