/** The doctor on a MongoDB that is no replica set: it takes writes, and has no transactions. */
import { checkMongodb, checkWrites } from '../../scripts/gateway/doctor/check-mongodb.js';

const database = {
  connection: {
    db: { command: async () => ({ isWritablePrimary: true }) },
    getClient: () => ({
      withSession: () => Promise.reject(new Error('This MongoDB deployment does not support retryable writes.')),
    }),
  },
  collection: () => ({ updateOne: async () => undefined }),
  serverVersion: async () => '8.0.4',
};
const examined = { database } as never;

test('one finding says that it is no replica set, and none that payments are refused', async () => {
  expect(await checkMongodb(examined)).toMatchObject([
    { state: 'wrong', found: 'it is no replica set' },
    { state: 'ok' },
  ]);
  expect(await checkWrites(examined)).toMatchObject([{ state: 'ok' }]);
});
