import { limits } from '../../config/limits.js';
import { systemClock } from '../../shared/clock.js';
import type { LogFields } from '../../shared/log.js';
import type { AuditBatch } from '../../shared/store/audit.model.js';
import { type AuditRepository, createAuditRepository } from '../../shared/store/audit.repository.js';
import type { LoggedHead } from '../../shared/store/audit-chain.js';
import { ensureIndexes } from '../../shared/store/collections.js';
import { type Database, openDatabase } from '../../shared/store/database.js';
import { testMongoUri } from '../support/services.js';

let database: Database;
let heads: LoggedHead[];
beforeAll(async () => {
  database = await openDatabase(testMongoUri('audit'));
  await ensureIndexes(database);
});
beforeEach(async () => {
  heads = [];
  await rows().deleteMany({});
});
afterAll(async () => {
  await database.connection.dropDatabase();
  await database.close();
});

const rows = () => database.connection.collection<AuditBatch>('audit');
const log = {
  info: (_message: string, { chain, count, hash }: LogFields = {}) => {
    heads.push({ chain: String(chain), seq: Number(count), hash: String(hash) });
  },
};
const entry = (object: string) =>
  ({ clientId: 'cli_1', actor: 'key_1', action: 'refundPayment', object, outcome: 'done' }) as const;

/** Appends entries as one chain, whose first batch has a single entry. */
async function written(count: number): Promise<AuditRepository> {
  const audit = createAuditRepository(database, systemClock, log);
  await Promise.all(Array.from({ length: count }, (_, n) => audit.append(entry(`pay_${n}`))));
  await audit.close();
  return audit;
}

test('entries appended at once form one chain per process', async () => {
  const audit = await written(limits.auditBatchMax + 10);
  await written(3);
  expect(await audit.verify(heads)).toEqual({
    entries: limits.auditBatchMax + 13,
    chains: 2,
    unchained: 0,
    beyondHeads: 0,
    problems: [],
  });
  expect(heads.map(({ seq }) => seq)).toEqual([3, 2]);
  const [newest] = await audit.find({ clientId: 'cli_1' }, 1);
  const id = expect.stringMatching(/^aud_[0-9a-f]{32}\.\d+$/);
  expect(newest).toEqual({ id, at: expect.any(Date), ...entry(newest?.object ?? '') });
});

test('a forged chain is consistent, but its entries are counted as beyond the logged heads', async () => {
  const audit = await written(3);
  const forged = createAuditRepository(database, systemClock);
  await Promise.all([forged.append(entry('pay_forged')), forged.append(entry('pay_forged'))]);
  await forged.close();
  expect(await audit.verify(heads)).toMatchObject({ entries: 5, chains: 2, beyondHeads: 2, problems: [] });
});

test('a change of the audit in the database is detected', async () => {
  const count = limits.auditBatchMax + 5;
  const audit = await written(count);
  const problems = async () => (await audit.verify(heads)).problems;
  const at = (seq: number) => ({ 'link.seq': seq });
  const original = await rows().find().toArray();
  expect(original).toHaveLength(3);
  const restore = async () => {
    await rows().deleteMany({});
    await rows().insertMany(original);
    expect(await problems()).toEqual([]);
  };

  await rows().updateOne(at(2), { $set: { 'entries.1.object': 'pay_other' } });
  expect(await problems()).toEqual([expect.stringContaining('batch 2')]);
  await restore();
  // Batches are found by this field: with another value the entry would be hidden.
  await rows().updateOne(at(2), { $set: { clientId: ['cli_other'] } });
  expect(await problems()).toEqual([expect.stringContaining('batch 2')]);
  await restore();
  await rows().updateOne(at(2), { $pop: { entries: 1 } });
  expect(await problems()).toEqual([expect.stringContaining('batch 2')]);
  await restore();
  await rows().deleteOne(at(2));
  expect(await problems()).not.toEqual([]);
  await restore();
  // The last batch is removed: only the head in the log shows that.
  await rows().deleteOne(at(3));
  expect((await audit.verify([])).problems).toEqual([]);
  expect(await problems()).toEqual([expect.stringContaining('is gone')]);
  await restore();
  // A whole chain is replaced by another one that is consistent.
  await rows().deleteMany({});
  await written(count);
  const [forged] = heads.splice(1, 1);
  await rows().updateMany({}, { $set: { 'link.chain': heads[0]?.chain ?? '' } });
  expect(forged?.chain).not.toBe(heads[0]?.chain);
  expect(await problems()).not.toEqual([]);
});
