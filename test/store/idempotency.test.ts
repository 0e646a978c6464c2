/** Rows of `Idempotency-Key` on the real MongoDB: one caller works on a request, the others wait or get its answer. */
import {
  createIdempotencyRepository,
  type IdempotencyClaim,
  type IdempotencyRepository,
} from '../../shared/store/idempotency.repository.js';
import { until } from '../support/patience.js';
import { openStore, type Store } from './open-store.js';

let store: Store;
let rows: IdempotencyRepository;
beforeAll(async () => {
  store = await openStore('idempotency', ['IdempotencyRow']);
  rows = createIdempotencyRepository(store.database);
});
beforeEach(() => store.clear());
afterAll(() => store?.close());

/** Tolerance (ms): a server may read the clock of the machine less often than the test does. */
const CLOCK_STEP_MS = 100;
const LEASE_MS = 60_000;
const scope = { clientId: 'shop', path: 'POST /v1/payments', key: 'k' };
const stored = () => store.database.collection<{ _id: string; leaseUntil: Date; expireAt: Date }>('idempotency_rows');

async function claimed(body = 'digest', of = scope): Promise<IdempotencyClaim> {
  const started = await rows.start(of, body, LEASE_MS);
  if (started.kind !== 'claimed') throw new Error(`it is ${started.kind}`);
  return started.claim;
}

/** Claims a key that was given back: its row may be free only a moment later. */
const claimedSoon = (of: typeof scope): Promise<IdempotencyClaim> =>
  until(async () => {
    const started = await rows.start(of, 'digest', LEASE_MS);
    return started.kind === 'claimed' ? started.claim : undefined;
  }, 'the key is free');

/** Forgets the row of a claim and waits until a majority has removed it. */
async function forgetAndWait(claim: IdempotencyClaim) {
  await rows.forget(claim);
  await until(async () => (await stored().findOne({ _id: claim.rowId })) === null, 'the row is gone');
}

/** Builds a repository whose operations on the collection go through `pass`. */
function repositoryOver(pass: (name: string, run: () => unknown) => unknown) {
  const watched = new Proxy(stored(), {
    get: (target, name) => {
      const member = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => pass(String(name), () => member.apply(target, args));
    },
  });
  return createIdempotencyRepository(Object.create(store.database, { collection: { value: () => watched } }));
}

test('of many calls at once one claims the request, and the others learn that it is running', async () => {
  const started = await Promise.all(Array.from({ length: 12 }, () => rows.start(scope, 'digest', LEASE_MS)));
  expect(started.filter(({ kind }) => kind === 'claimed')).toHaveLength(1);
  expect(started.filter(({ kind }) => kind === 'running')).toHaveLength(11);
  expect(await rows.start(scope, 'another digest', LEASE_MS)).toEqual({ kind: 'other-body' });
});

test('another client, path or key is another request', async () => {
  await claimed();
  for (const more of [{ clientId: 'other' }, { path: 'POST /v1/customers' }, { key: 'l' }]) {
    expect((await claimed('digest', { ...scope, ...more })).resumed).toBe(false);
  }
});

test('an answer is kept with its seed and returned to each call with the same body', async () => {
  const claim = await claimed();
  expect(claim.resumed).toBe(false);
  await rows.finish(claim, { status: 201, body: '{}' });
  const answered = { kind: 'answered', status: 201, body: '{}', seed: claim.seed };
  expect(await rows.start(scope, 'digest', LEASE_MS)).toEqual(answered);
  expect(await rows.start(scope, 'another digest', LEASE_MS)).toEqual({ kind: 'other-body' });
  // The answer stays when the lease is over. The row is neither answered again nor abandoned nor forgotten.
  await stored().updateMany({}, [{ $set: { leaseUntil: { $subtract: ['$$NOW', 1] } } }]);
  expect(await rows.start(scope, 'digest', LEASE_MS)).toEqual(answered);
  await rows.finish(claim, { status: 500 });
  await rows.abandon(claim);
  await rows.forget(claim);
  expect(await rows.start(scope, 'digest', LEASE_MS)).toEqual(answered);
});

test('a row is kept for a day and held for the lease, by the clock of the database', async () => {
  const beforeMs = Date.now();
  await claimed();
  const afterMs = Date.now();
  const [row] = await stored().find({}).toArray();
  const madeMs = [(row?.expireAt.getTime() ?? 0) - 24 * 3_600_000, (row?.leaseUntil.getTime() ?? 0) - LEASE_MS];
  for (const ms of madeMs)
    expect({ early: ms < beforeMs - CLOCK_STEP_MS, late: ms > afterMs }).toEqual({ early: false, late: false });
});

test('an abandoned request is taken over under the same seed, by the same body only', async () => {
  const first = await claimed();
  await rows.abandon(first);
  expect(await rows.start(scope, 'another digest', LEASE_MS)).toEqual({ kind: 'other-body' });
  const second = await claimed();
  expect(second).toMatchObject({ resumed: true, seed: first.seed });
  expect(second.token).not.toBe(first.token);
  // The first caller can no longer change the row.
  await rows.finish(first, { status: 201 });
  await rows.abandon(first);
  await rows.forget(first);
  expect(await rows.start(scope, 'digest', LEASE_MS)).toEqual({ kind: 'running' });
});

test('a lease that ran out by the clock of the database is taken over', async () => {
  const first = await claimed();
  await stored().updateMany({}, [{ $set: { leaseUntil: { $subtract: ['$$NOW', 1] } } }]);
  expect(await claimed()).toMatchObject({ resumed: true, seed: first.seed });
});

test('a forgotten key is free, also for another body', async () => {
  const first = await claimed();
  await rows.forget(first);
  const second = await claimed('another digest');
  expect(second.resumed).toBe(false);
  expect(second.seed).not.toBe(first.seed);
});

test('a row whose day is over no longer counts, even before the database removes it', async () => {
  const first = await claimed();
  await rows.finish(first, { status: 201 });
  await stored().updateMany({}, [{ $set: { expireAt: '$$NOW' } }]);
  const second = await claimed('another digest');
  expect(second.resumed).toBe(false);
  expect(await rows.start(scope, 'another digest', LEASE_MS)).toEqual({ kind: 'running' });
});

describe('simultaneous calls', () => {
  const scopeOf = (key: string) => ({ ...scope, key });

  test('make one write and one read, and each gets the state of its own row', async () => {
    const answered = await claimed('digest', scopeOf('answered'));
    await rows.finish(answered, { status: 201, body: '{}' });
    await claimed('digest', scopeOf('running'));
    const abandoned = await claimed('digest', scopeOf('abandoned'));
    await rows.abandon(abandoned);
    const asked: string[] = [];
    const watchedRepository = repositoryOver((name, run) => {
      asked.push(name);
      return run();
    });
    const all = ['answered', 'running', 'abandoned', 'new', 'newer'].map((key) => [key, 'digest'] as const);
    const started = await Promise.all(
      [...all, ['running', 'another digest'] as const].map(([key, digest]) =>
        watchedRepository.start(scopeOf(key), digest, LEASE_MS),
      ),
    );
    const claim = (resumed: boolean) => ({ kind: 'claimed', claim: expect.objectContaining({ resumed }) });
    expect(started).toEqual([
      { kind: 'answered', status: 201, body: '{}', seed: answered.seed },
      ...[{ kind: 'running' }, claim(true), claim(false), claim(false), { kind: 'other-body' }],
    ]);
    expect(started[2]).toMatchObject({ claim: { seed: abandoned.seed } });
    expect(asked).toEqual(['bulkWrite', 'find']);
  });

  test('of two processes claim each request once', async () => {
    const other = createIdempotencyRepository(store.database);
    const keys = Array.from({ length: 20 }, (_, index) => scopeOf(`k${index}`));
    const started = await Promise.all([rows, other].flatMap((one) => keys.map((of) => one.start(of, 'd', LEASE_MS))));
    for (const [index] of keys.entries())
      expect([started[index], started[index + keys.length]].map((one) => one?.kind).sort()).toEqual([
        'claimed',
        'running',
      ]);
  });

  test('start again when another call frees their key before the read', async () => {
    const first = await claimed('digest', scopeOf('refused'));
    const there = repositoryOver((name, run) =>
      name === 'bulkWrite' ? Promise.resolve(run()).then(() => forgetAndWait(first)) : run(),
    );
    const started = ['refused', 'new'].map((key) => there.start(scopeOf(key), 'digest', LEASE_MS));
    expect(await Promise.all(started)).toMatchObject([
      { kind: 'claimed', claim: { resumed: false } },
      { kind: 'claimed', claim: { resumed: false } },
    ]);
  });

  /** Builds a repository whose batch write is made, but ends with this error. */
  const afterWrite = (error: object) =>
    repositoryOver((name, run) =>
      name === 'bulkWrite' ? Promise.resolve(run()).then(() => Promise.reject(error)) : run(),
    );
  const twoAt = (there: IdempotencyRepository) =>
    ['a', 'b'].map((key) => there.start(scopeOf(key), 'digest', LEASE_MS));
  const refusedWith = (...codes: number[]) =>
    Object.assign(new Error('refused'), { writeErrors: codes.map((code) => ({ code })) });
  const withoutMajority = { getWriteConcernError: () => ({ code: 64 }) };

  test.each([
    ['whose acknowledgement is lost', new Error('connection closed')],
    ['one of which is refused', refusedWith(121)],
    ['one of which is overtaken, and one refused', refusedWith(11_000, 121)],
    ['one of which is overtaken, without a majority', Object.assign(refusedWith(11_000), { result: withoutMajority })],
  ])('%s fail, and are worked on again at once', async (_what, error) => {
    const lost = { status: 'rejected', reason: error };
    expect(await Promise.allSettled(twoAt(afterWrite(error)))).toEqual([lost, lost]);
    for (const key of ['a', 'b']) expect((await claimedSoon(scopeOf(key))).resumed).toBe(true);
  });

  test.each([
    ['all', refusedWith(11_000, 11_000)],
    ['one alone', Object.assign(new Error('refused'), { writeErrors: { code: 11_000 }, result: {} })],
  ])('read the rows when other calls overtook them (%s)', async (_which, error) => {
    expect(await Promise.all(twoAt(afterWrite(error)))).toMatchObject([{ kind: 'claimed' }, { kind: 'claimed' }]);
  });
});

test('a start whose acknowledgement is lost gives the row back, so that the next call can claim it at once', async () => {
  let calls = 0;
  const there = repositoryOver(async (name, run) => {
    const answer = await run();
    if (name !== 'findOneAndUpdate') return answer;
    calls += 1;
    throw new Error('connection closed');
  });
  await expect(there.start(scope, 'digest', LEASE_MS)).rejects.toThrow('connection closed');
  expect(calls).toBe(1);
  expect((await claimedSoon(scope)).resumed).toBe(true);
});
