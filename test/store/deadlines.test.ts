/** Every operation of a collection ends in time, also when the server hangs: here a real server is stopped. */
import { readFileSync } from 'node:fs';
import type { Collection, Database } from '../../shared/store/database.js';
import { openDatabase } from '../../shared/store/database.js';
import { isUnavailable } from '../../shared/store/database-errors.js';
import { type OwnMongo, startOwnMongo } from '../support/own-servers.js';
import { until } from '../support/patience.js';

const OPERATION_MS = 2_000;

interface Row {
  _id: number;
  seen?: boolean;
}

let mongo: OwnMongo;
let database: Database;
let rows: Collection<Row>;

beforeAll(async () => {
  mongo = await startOwnMongo();
  database = await openDatabase(mongo.uri('deadlines'), OPERATION_MS);
  rows = database.collection<Row>('rows');
  await rows.insertMany([{ _id: 1 }, { _id: 2 }]);
});
afterAll(async () => {
  if (mongo) process.kill(mongo.pid, 'SIGCONT');
  await database?.close();
  await mongo?.stop();
});

const operations: Readonly<Record<string, () => Promise<unknown>>> = {
  find: () => rows.find({}).toArray(),
  findOne: () => rows.findOne({ _id: 1 }),
  countDocuments: () => rows.countDocuments({}),
  insertOne: () => rows.insertOne({ _id: 10 }),
  insertMany: () => rows.insertMany([{ _id: 11 }, { _id: 12 }], { ordered: false }),
  bulkWrite: () => rows.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: { $set: { seen: true } } } }]),
  updateOne: () => rows.updateOne({ _id: 1 }, { $set: { seen: true } }),
  updateMany: () => rows.updateMany({}, { $set: { seen: true } }),
  findOneAndUpdate: () => rows.findOneAndUpdate({ _id: 1 }, { $set: { seen: true } }),
  deleteOne: () => rows.deleteOne({ _id: 2 }),
};

test('operations on a server that hangs fail as unavailable, and later ones work when the server continues', async () => {
  process.kill(mongo.pid, 'SIGSTOP');
  // On a busy machine the threads of the server run on for a while.
  await until(() => / T /.test(readFileSync(`/proc/${mongo.pid}/stat`, 'utf8')));
  const ends = await Promise.all(
    Object.entries(operations).map(([name, operation]) =>
      operation().then(
        () => [name, 'answered'],
        (error: unknown) => [name, isUnavailable(error) ? 'unavailable' : String(error)],
      ),
    ),
  );
  expect(ends).toEqual(Object.keys(operations).map((name) => [name, 'unavailable']));
  process.kill(mongo.pid, 'SIGCONT');
  for (;;) {
    const found = await rows.findOne({ _id: 1 }).catch(() => undefined);
    if (found) break;
  }
});
