/** The audit on a real MongoDB: which entries are found, what a lost write leaves, and which chain heads are logged. */
import { limits } from '../../config/limits.js';
import type { LogFields } from '../../shared/log.js';
import type { AuditBatch, AuditRow } from '../../shared/store/audit.model.js';
import { type AuditEntry, type AuditFilter, createAuditRepository } from '../../shared/store/audit.repository.js';
import type { ChainLink } from '../../shared/store/audit-chain.js';
import type { Database } from '../../shared/store/database.js';
import { openStore, type Store } from './open-store.js';
import { faulty } from './payment-store.js';

const NOON = Date.UTC(2026, 10, 23, 12);
let store: Store;
let clock: { ms: number; now(): Date };
let logged: { chain: string; count: number; hash: string }[];
beforeAll(async () => {
  store = await openStore('audit_entries', ['Audit']);
});
beforeEach(async () => {
  await store.clear();
  logged = [];
  clock = { ms: NOON, now: () => new Date(clock.ms) };
});
afterAll(() => store?.close());

const log = {
  info: (message: string, { chain, count, hash }: LogFields = {}) => {
    expect(message).toBe('audit.head');
    logged.push({ chain: String(chain), count: Number(count), hash: String(hash) });
  },
};
const open = (database: Database = store.database) => createAuditRepository(database, clock, log);
const rows = () => store.database.collection<AuditRow>('audit');
const stored = () => store.database.collection<AuditBatch>('audit').find({}).sort({ at: 1, 'link.seq': 1 }).toArray();
/** Objects of the entries of each batch. */
const storedObjects = async () => (await stored()).map(({ entries }) => entries.map(({ object }) => object));
const entry = (more: Partial<AuditEntry> = {}): AuditEntry => ({
  clientId: 'cli_1',
  actor: 'key_1',
  action: 'refundPayment',
  object: 'pay_1',
  outcome: 'done',
  ...more,
});
const headOf = async () => {
  const link = (await stored()).at(-1)?.link;
  return { chain: link?.chain, count: link?.seq, hash: link?.hash };
};

/** Opens an audit on the real collection, whose writes can be made to fail. */
function openFaulty() {
  const faults = faulty(rows() as never);
  return { faults, audit: open({ ...store.database, collection: () => faults.collection } as never) };
}

test('entries are found newest first, by client and time, up to a number', async () => {
  const audit = open();
  for (const [at, more] of [{ object: 'a' }, { object: 'b', clientId: 'cli_2' }, { object: 'c' }].entries()) {
    clock.ms = NOON + at * 1_000;
    await audit.append(entry(more));
  }
  // Two entries of the same time: the later one of the chain comes first.
  await Promise.all([audit.append(entry({ object: 'd' })), audit.append(entry({ object: 'e' }))]);
  const found = async (...asked: Parameters<typeof audit.find>) =>
    (await audit.find(...asked)).map(({ object }) => object);
  expect(await found({})).toEqual(['e', 'd', 'c', 'b', 'a']);
  expect(await found({}, 2)).toEqual(['e', 'd']);
  expect(await found({ clientId: 'cli_2' })).toEqual(['b']);
  expect(await found({ clientId: 'cli_1', since: new Date(NOON + 2_000) })).toEqual(['e', 'd', 'c']);
  expect(await found({ since: new Date(NOON + 3_000) })).toEqual([]);
  expect((await audit.find({ clientId: 'cli_2' })).map(({ object }) => object)).toEqual(['b']);
  await audit.close();
});

test('pages of any size together give the same entries as one search without pages', async () => {
  // The first entry of each process is a batch of its own, the later ones share a batch. The last batches have entries of two times.
  for (const moments of [[0, 0], [1, 1, 1, 1], [2], [3, 3], [4, 4, 5, 5]]) {
    const processes = [open(), open()];
    const appended: Promise<void>[] = [];
    for (const at of moments) {
      clock.ms = NOON + at;
      for (const audit of processes) appended.push(audit.append(entry({ object: `moment ${at}` })));
    }
    await Promise.all(appended);
  }
  // Documents of earlier releases have a single entry, with or without a link of its own.
  const alone = { at: new Date(NOON + 1), ...entry({ object: 'moment 1' }) };
  const link = { chain: 'chn_old', previous: '', hash: '' };
  await rows().insertMany([
    { _id: 'aud_old1', ...alone },
    { _id: 'aud_old2', ...alone },
    { _id: 'aud_old3', ...alone, link: { ...link, seq: 2 } },
    { _id: 'aud_old4', ...alone, at: new Date(NOON + 3), object: 'moment 3', link: { ...link, seq: 3 } },
  ]);
  const audit = open();
  const since = (at: number) => ({ since: new Date(NOON + at) });
  for (const [filter, count] of [
    [{}, 30],
    [{ clientId: 'cli_1' }, 30],
    [since(1), 26],
    [since(5), 4],
    [{ ...since(3), outcome: 'done' }, 13],
    [{ actor: 'key_2' }, 0],
  ] as const) {
    const whole = (await audit.find(filter)).map(({ id }) => id);
    expect(whole).toHaveLength(count);
    for (const size of [1, 2, 3, 5, 29, 30, 31]) {
      const paged: string[] = [];
      let page = await audit.find(filter, size);
      while (page.length > 0) {
        paged.push(...page.map(({ id }) => id));
        page = (await audit.findAfter(paged.at(-1) as string, filter, size)) ?? [];
      }
      expect(paged).toEqual(whole);
    }
  }
  expect((await audit.find({})).map(({ object }) => object)).toEqual(
    [5, 5, 4, 5, 5, 4, 4, 4, 3, 3, 3, 3, 3, 2, 2, ...Array.from({ length: 11 }, () => 1), 0, 0, 0, 0].map(
      (at) => `moment ${at}`,
    ),
  );
  const [batch] = await stored();
  for (const id of ['aud_none', 'aud_none.0', 'aud_old1.0', `${batch?._id}`, `${batch?._id}.${batch?.entries.length}`])
    expect(await audit.findAfter(id, {}, 1)).toBeUndefined();
});

test('MongoDB reads pages in the order of an index and sorts nothing', async () => {
  const audit = open();
  for (let at = 0; at < 5; at += 1) {
    clock.ms = NOON + at;
    await audit.append(entry({ paymentId: 'pay_1' }));
  }
  const db = store.database.connection.getClient().db(store.database.connection.name);
  await db.command({ profile: 2 });
  for (const filter of [{}, { clientId: 'cli_1' }, { paymentId: 'pay_1' }, { actor: 'key_1', since: new Date(NOON) }]) {
    const [first] = await audit.find(filter, 2);
    expect(await audit.findAfter(first?.id ?? '', filter, 2)).toHaveLength(2);
  }
  await db.command({ profile: 0 });
  const finds = { op: 'query', 'command.find': 'audit' };
  const profile = db.collection('system.profile');
  expect(await profile.countDocuments({ ...finds, 'command.sort': { at: -1 } })).toBe(8);
  expect(await profile.find({ ...finds, hasSortStage: true }).toArray()).toEqual([]);
});

test('a filter has to match within one entry, not across several entries of a batch', async () => {
  const audit = open();
  const append = (...more: Partial<AuditEntry>[]) => Promise.all(more.map((one) => audit.append(entry(one))));
  await append(
    { object: 'first' },
    { clientId: 'cli_2', paymentId: 'pay_2', actor: 'key_2', object: 'a' },
    { paymentId: 'pay_1', outcome: 'refused', object: 'b' },
    { action: 'createPayment', object: 'c' },
  );
  expect(await storedObjects()).toEqual([['first'], ['a', 'b', 'c']]);
  const found = async (filter: AuditFilter) => (await audit.find(filter)).map(({ object }) => object);
  expect(await found({ clientId: 'cli_1' })).toEqual(['c', 'b', 'first']);
  expect(await found({ paymentId: 'pay_1' })).toEqual(['b']);
  expect(await found({ outcome: 'refused', action: 'createPayment' })).toEqual([]);
  expect(await found({ clientId: 'cli_1', paymentId: 'pay_2' })).toEqual([]);
  expect(await found({ actor: 'key_2', clientId: 'cli_2' })).toEqual(['a']);
});

test('entries appended together are stored as one document, up to the batch limit', async () => {
  const audit = open();
  const count = limits.auditBatchMax + 3;
  await Promise.all(Array.from({ length: count }, (_, at) => audit.append(entry({ paymentId: `pay_${at % 10}` }))));
  const batches = await stored();
  expect(batches.map(({ entries }) => entries.length)).toEqual([1, limits.auditBatchMax, 2]);
  expect(batches[1]).toMatchObject({ clientId: ['cli_1'], paymentId: expect.any(Array) });
  expect(batches[1]?.paymentId).toHaveLength(10);
  await audit.append(entry());
  expect((await stored()).at(-1)).not.toHaveProperty('paymentId');
});

test('a write whose answer is lost stores each entry once', async () => {
  const { faults, audit } = openFaulty();
  faults.loseAnswer('insertOne');
  await audit.append(entry());
  await audit.append(entry({ object: 'pay_2' }));
  expect(faults.calls('insertOne')).toBe(3);
  expect(await storedObjects()).toEqual([['pay_1'], ['pay_2']]);
  expect((await stored()).map(({ link: { seq } }) => seq)).toEqual([1, 2]);
  expect((await audit.verify([])).problems).toEqual([]);
});

const lastLink = async () => (await stored()).at(-1)?.link as ChainLink;

test('a failed write rejects every waiting append, and later entries begin a new chain', async () => {
  const { faults, audit } = openFaulty();
  await audit.append(entry());
  const before = await lastLink();
  const refusal = new Error('no primary');
  let tries = 0;
  const refuse = async (): Promise<void> => {
    tries += 1;
    faults.before('insertOne', refuse);
    throw refusal;
  };
  faults.before('insertOne', refuse);
  const lost = await Promise.allSettled([audit.append(entry()), audit.append(entry())]);
  expect(lost.map((one) => one.status === 'rejected' && one.reason)).toEqual([refusal, refusal]);
  expect(tries).toBe(limits.auditTriesMax);
  // The head of the ended chain is logged: without it no logged head would cover the entries since the previous one.
  expect(logged).toEqual([{ chain: before.chain, count: 1, hash: before.hash }]);
  faults.before('insertOne', async () => {});
  await audit.append(entry());
  const after = await lastLink();
  expect([after.seq, after.previous, after.chain === before.chain]).toEqual([1, '', false]);
  expect((await audit.verify([])).problems).toEqual([]);
});

test('the log gets the head when the chain has grown, and on closing', async () => {
  const audit = open();
  await audit.append(entry());
  expect(logged).toEqual([]);
  await audit.logHeads();
  await audit.logHeads();
  expect(logged).toEqual([await headOf()]);
  await audit.append(entry());
  await audit.close();
  expect(logged.slice(1)).toEqual([await headOf()]);
  await audit.close();
  expect(logged).toHaveLength(2);
});

test(`the log gets the head after ${limits.auditHeadEvery} entries`, async () => {
  const audit = open();
  const append = (count: number) => Promise.all(Array.from({ length: count }, () => audit.append(entry())));
  for (const heads of [1, 2]) {
    await append(limits.auditHeadEvery - 1);
    expect(logged).toHaveLength(heads - 1);
    await append(1);
    expect(logged).toHaveLength(heads);
    expect(logged.at(-1)).toEqual(await headOf());
  }
});

test('a head is logged only after it is stored', async () => {
  const { faults, audit } = openFaulty();
  await audit.append(entry());
  const first = await headOf();
  faults.before('insertOne', () => audit.logHeads());
  await audit.append(entry());
  expect(logged).toEqual([first]);
});

test('heads of commands, which have no log, are logged once by a process that has one', async () => {
  const command = createAuditRepository(store.database, clock);
  const audit = open();
  // The clock of the machine of a command may be behind.
  const since = NOON - limits.auditHeadMs - limits.clockOffsetMaxMs;
  clock.ms = since;
  await createAuditRepository(store.database, clock).append(entry({ actor: 'operator:early' }));
  clock.ms = since - 1;
  await createAuditRepository(store.database, clock).append(entry({ actor: 'operator:too-early' }));
  clock.ms = NOON;
  await command.append(entry({ actor: 'operator:ann', object: 'first' }));
  await command.append(entry({ actor: 'operator:ann', object: 'second' }));
  await createAuditRepository(store.database, clock).append(entry({ actor: 'key_operator:1' }));
  const counts = () => logged.splice(0).map(({ count }) => count);
  await audit.logHeads();
  expect(counts()).toEqual([1, 2]);
  clock.ms = NOON + 1;
  await audit.logHeads();
  expect(counts()).toEqual([]);
  await command.append(entry({ actor: 'operator:ann', object: 'third' }));
  await audit.logHeads();
  expect(counts()).toEqual([3]);
});

test('after a failed search for heads of commands, the next one logs them', async () => {
  const faults = { find: true };
  const collection = () =>
    new Proxy(rows(), {
      get: (target, name) => {
        if (name === 'find' && faults.find) throw new Error('no primary');
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const audit = open({ ...store.database, collection } as never);
  await createAuditRepository(store.database, clock).append(entry({ actor: 'operator:ann' }));
  clock.ms = NOON + 10 * limits.auditHeadMs;
  await expect(audit.logHeads()).rejects.toThrow('no primary');
  faults.find = false;
  await audit.logHeads();
  expect(logged.map(({ count }) => count)).toEqual([1]);
});
