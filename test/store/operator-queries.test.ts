/** The queries that docs/operations.md gives to operators: each uses an index, because the collections are large when they are needed. */
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { dropDatabase } from '../support/drop-database.js';
import { testMongoUri } from '../support/services.js';

interface Query {
  readonly collection: string;
  readonly filter: object;
}

/** Runs the text of a query over a database that only notes what is asked. */
function read(text: string): Query {
  const asked: Query[] = [];
  const ofCollection = (collection: string) => {
    const ask = (filter: object) => void asked.push({ collection, filter });
    return { find: ask, countDocuments: ask };
  };
  const db = new Proxy({}, { get: (_, name) => ofCollection(String(name)) });
  runInNewContext(text, { db, Date, ISODate: () => new Date() });
  return asked[0] as Query;
}

const page = readFileSync('docs/operations.md', 'utf8');
const queries = [...page.matchAll(/`(db\.\w+\.(?:find|countDocuments)\(.*?\))`/g)].map(([, text]) => text as string);

let database: Database;
beforeAll(async () => {
  database = await openDatabase(testMongoUri('operator_queries'));
  await ensureIndexes(database);
});
afterAll(async () => {
  await dropDatabase(database);
  await database.close();
});

test('the page has the queries that this test is about', () => expect(queries.length).toBeGreaterThanOrEqual(3));

test.each(queries)('%s', async (text) => {
  const { collection, filter } = read(text);
  const plan = await database.connection.collection(collection).find(filter).explain('queryPlanner');
  const stages = JSON.stringify((plan as { queryPlanner: object }).queryPlanner);
  expect(stages).toContain('IXSCAN');
  expect(stages).not.toContain('COLLSCAN');
});
