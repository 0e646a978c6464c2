/**
 * Checks that the simulated store does what MongoDB does: with the statements of every story, including faults, and with those of the
 * repositories on random documents in random order. Each statement is also sent to MongoDB, and answers and documents are compared.
 */
import fc from 'fast-check';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { kindsOf } from '../../shared/domain/payment/work.js';
import { createClaims } from '../../shared/store/claim-work.js';
import { createDeliveryRepository } from '../../shared/store/delivery.repository.js';
import { createIdempotencyRepository } from '../../shared/store/idempotency.repository.js';
import { orphans } from '../../shared/store/orphans.js';
import { createPaymentRepository } from '../../shared/store/payment.repository.js';
import { createPaymentInstrumentRepository } from '../../shared/store/payment-instrument.repository.js';
import { createPaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import { createReferenceProbeRepository } from '../../shared/store/reference-probe.repository.js';
import { createReferenceReservations } from '../../shared/store/reference-reservation.repository.js';
import { createSessionRepository } from '../../shared/store/session.repository.js';
import { createdPayment } from '../domain/payment/a-payment.js';
import { testMongoUri } from '../support/services.js';
import { seededFaults } from './faults.js';
import { RecordingStore, Replay } from './replay.js';
import { scenarioNames } from './scenarios.js';
import { simulate } from './simulate.js';
import type { SentStatement } from './simulated-database.js';

let mongodb: Replay;
beforeAll(async () => {
  mongodb = await Replay.open(testMongoUri('conformance'));
});
afterAll(() => mongodb.close());

test.each(scenarioNames)('%s: MongoDB agrees with each statement of its processes', async (name) => {
  for (const seed of [1, 2]) {
    const statements: SentStatement[] = [];
    const { stored, violations } = await simulate(
      name,
      seededFaults(seed),
      {},
      { onStatement: (sent) => statements.push(sent) },
    );
    expect(violations).toEqual([]);
    // A statement that was executed in part leaves a state that cannot be replayed.
    if (statements.some(({ executed }) => executed === 'half')) continue;
    expect(statements.length).toBeGreaterThan(3);
    expect(await mongodb.differences(statements, stored)).toEqual([]);
  }
});

const EPOCH_MS = Date.UTC(2030, 0, 1);
const SECOND_MS = 1_000;
const at = (seconds: number) => new Date(EPOCH_MS + seconds * SECOND_MS);
const NOW = at(0);
const someDate = fc.integer({ min: -20, max: 20 }).map(at);
const ids = ['pay_1', 'pay_2', 'pay_3', 'pay_4'] as const;
const anId = fc.constantFrom(...ids);
const tokens = ['token-1', 'token-2', 'token-3'] as const;
const aToken = fc.constantFrom(...tokens);

/** Generates a field that may be missing. */
const maybe = <T>(field: string, value: fc.Arbitrary<T>) =>
  fc.option(
    value.map((one) => ({ [field]: one })),
    { nil: {} },
  );

const work = fc
  .tuple(
    fc.record({
      queue: fc.constantFrom('processor', 'qr', 'threeds'),
      kind: fc.constantFrom('authorize', 'inquire', 'issue-code', 'conclude'),
      txId: fc.constantFrom('txn_1', 'txn_2'),
      dueAt: someDate,
      leaseUntil: fc.oneof(fc.constant(new Date(0)), someDate),
      gen: fc.integer({ min: 1, max: 3 }),
      tries: fc.integer({ min: 0, max: 3 }),
    }),
    maybe('leaseToken', aToken),
    maybe(
      'attempt',
      fc
        .tuple(aToken, maybe('atInsert', fc.constant(true)))
        .map(([token, more]) => ({ token, startedAt: at(-5), ...more })),
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as object);

/** Generates a payment in any state: the store does not check which states are allowed. */
const aPayment = fc
  .tuple(
    anId,
    fc.record({
      version: fc.integer({ min: 1, max: 2 }),
      status: fc.constantFrom('created', 'pending', 'authorized', 'approved', 'failed'),
      clientId: fc.constantFrom('cli_a', 'cli_b'),
      refKeys: fc.uniqueArray(fc.constantFrom('payment:a', 'payment:b', 'capture:a', 'refund:a'), {
        minLength: 1,
        maxLength: 2,
      }),
      eventSeq: fc.integer({ min: 0, max: 3 }),
      fannedOutSeq: fc.integer({ min: 0, max: 2 }),
      writes: fc.array(fc.string({ maxLength: 3 }), { maxLength: 8 }),
    }),
    maybe('work', work),
    maybe('deadline', fc.record({ kind: fc.constantFrom('expire', 'capture', 'challenge'), at: someDate })),
    maybe('activeOp', fc.constant({ txId: 'txn_2', kind: 'capture' })),
    maybe('announceAt', someDate),
    maybe('tokenizeAt', someDate),
    maybe('refundCheckAt', someDate),
    maybe('transferCheckAt', someDate),
    maybe('cvcDestroyAt', someDate),
    maybe('cardDestroyAt', someDate),
    maybe('answered', fc.uniqueArray(fc.integer({ min: 1, max: 3 }), { maxLength: 2 })),
    maybe(
      'threeDs',
      fc.constantFrom('3ds-1', '3ds-2').map((sessionId) => ({ required: true, reason: 'always', sessionId })),
    ),
    maybe('schemaVersion', fc.integer({ min: 1, max: 2 })),
    maybe(
      'events',
      fc.array(
        fc
          .tuple(fc.integer({ min: 1, max: 3 }), maybe('body', fc.constant('{}')))
          .map(([seq, more]) => ({ seq, ...more })),
        { maxLength: 3 },
      ),
    ),
  )
  .map(([_id, ...fields]) => {
    const { work: _work, cvcDestroyAt: _at, ...created } = createdPayment({ _id, createdAt: NOW });
    return Object.assign({}, created, ...fields) as Payment;
  });

/** Generates the changes of a save: fields that are set, cleared, or left unchanged. */
const aChange = fc
  .tuple(
    fc.record({ status: fc.constantFrom('approved', 'failed', 'authorized'), updatedAt: someDate }),
    fc.option(fc.constant({ work: undefined }), { nil: {} }),
    fc.option(fc.constant({ cvc: undefined, cvcDestroyAt: undefined }), { nil: {} }),
    fc.option(
      fc.constantFrom(['payment:a'], ['payment:b', 'refund:b']).map((refKeys) => ({ refKeys })),
      { nil: {} },
    ),
    fc.option(
      work.map((one) => ({ work: one })),
      { nil: {} },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Partial<Payment>);

type Repositories = ReturnType<typeof repositoriesOf>;
type Command = (repositories: Repositories) => Promise<unknown>;

function repositoriesOf(store: RecordingStore) {
  const database = store.database();
  const payments = createPaymentRepository(database, true);
  return {
    payments,
    claims: createClaims(payments.collection, 'processor', () => NOW, true),
    deliveries: createDeliveryRepository(database),
    sessions: createSessionRepository(database),
    links: createPaymentLinkRepository(database),
    instruments: createPaymentInstrumentRepository(database),
    reservations: createReferenceReservations(database),
    idempotency: createIdempotencyRepository(database),
    probes: createReferenceProbeRepository(database),
  };
}

const commands = (...generators: fc.Arbitrary<Command>[]) =>
  fc.array(fc.oneof(...generators), { minLength: 3, maxLength: 12 });
const several = <T>(one: fc.Arbitrary<T>, max = 4) => fc.array(one, { minLength: 1, maxLength: max });
/** Ignores refusals, which the repository itself raises. The replay compares for each statement whether it was refused. */
const settleAll = (promises: readonly Promise<unknown>[]) => Promise.allSettled(promises);

const insertPayments = several(aPayment).map(
  (batch): Command =>
    ({ payments }) =>
      settleAll(batch.map((one) => payments.insert(one))),
);
const claim = fc.record(
  { paymentId: anId, txId: fc.constantFrom('txn_1', 'txn_2') },
  { requiredKeys: ['paymentId', 'txId'] },
);
const aClaim = fc
  .tuple(claim, fc.option(aToken, { nil: undefined }))
  .map(([one, storedClaim]) => ({ ...one, storedClaim }));
const claimPayments = several(aClaim).map(
  (batch): Command =>
    ({ claims }) =>
      settleAll(batch.map((one) => claims.claim(one))),
);
const takePayments = several(aClaim).map(
  (batch): Command =>
    ({ claims }) =>
      settleAll(batch.map((one) => claims.takeStored(one))),
);
/** Saves payments with their current or their previous version: about half of the writers are too late. */
const savePayments = several(fc.tuple(anId, aChange, fc.boolean())).map(
  (batch): Command =>
    async ({ payments }) => {
      const found = new Map((await payments.findByIds([...ids])).map((one) => [one._id, one]));
      const saves = batch.flatMap(([id, change, isLate]) => {
        const current = found.get(id);
        const before = current && { ...current, version: current.version - (isLate ? 1 : 0) };
        return before ? [payments.save(before, { ...before, ...change })] : [];
      });
      return settleAll(saves);
    },
);
const markAnswered = several(fc.tuple(anId, fc.integer({ min: 1, max: 2 }), fc.integer({ min: 0, max: 1 }))).map(
  (batch): Command =>
    ({ payments }) =>
      settleAll(batch.map(([id, first, more]) => payments.markAnswered(id, first, first + more))),
);
const sweepPayments = fc.constant<Command>(({ payments }) =>
  settleAll([
    ...(['processor', 'qr', 'threeds'] as const).flatMap((queue) => [
      payments.findDueWork(queue, kindsOf(queue), NOW, 3),
      payments.countUnknownWork(queue, ['authorize'], NOW),
      payments.measureQueue(queue, NOW),
    ]),
    payments.findDueDeadlines(NOW, 3),
    payments.findToAnnounce(NOW, 3),
    payments.findRefundChecks(NOW, 3),
    payments.findTransferChecks(NOW, 3),
    payments.findToTokenize(NOW, 3),
    payments.findByRefKey('cli_a', 'payment:a'),
    payments.findForClient('pay_1', 'cli_a'),
    payments.findByThreeDsSession('3ds-1'),
    payments.findVersion('pay_2'),
    payments.collection.find(orphans as never).toArray(),
  ]),
);
const changePayments = fc.oneof(
  fc.tuple(several(anId), several(aToken)).map(
    ([some, own]): Command =>
      ({ payments }) =>
        payments.renewLeases(some, own),
  ),
  fc.constant<Command>(({ payments }) => payments.destroyDueEnvelopes(NOW)),
);

const mongoAgrees = async (list: readonly Command[]) => {
  const store = new RecordingStore(() => NOW);
  const repositories = repositoriesOf(store);
  for (const command of list) await command(repositories).catch(() => undefined);
  expect(await mongodb.differences(store.statements, (name) => store.all(name))).toEqual([]);
};

const RUNS = { numRuns: 120 };

test('MongoDB agrees on inserts, claims, saves, marks and sweeps of payments', async () => {
  const list = commands(
    insertPayments,
    insertPayments,
    claimPayments,
    takePayments,
    savePayments,
    markAnswered,
    sweepPayments,
    changePayments,
  );
  await fc.assert(fc.asyncProperty(list, mongoAgrees), RUNS);
});

const receiver = fc.record({ host: fc.constantFrom('a.test', 'b.test'), clientId: fc.constantFrom('cli_a', 'cli_b') });
const aDelivery = fc.tuple(anId, fc.integer({ min: 1, max: 3 }), receiver).map(([paymentId, seq, to]) => ({
  ...to,
  _id: `${paymentId}:${seq}`,
  paymentId,
  seq,
  url: `https://${to.host}/`,
  body: '{}',
  resourceVersion: seq,
  createdAt: NOW,
}));
const attempt = { at: NOW, ms: 5, status: 200 };
const sendDeliveries = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.constantFrom('delivered', 'waiting', 'released'), someDate)
  .map(
    ([limit, end, dueAt]): Command =>
      async ({ deliveries }) => {
        const claimed = await deliveries.claim(await deliveries.findDue(NOW, limit), NOW);
        if (end === 'released') return deliveries.release(claimed.map((one) => ({ claimed: one, dueAt })));
        const tried = end === 'waiting' ? { attempt, state: end, dueAt } : { attempt, state: 'delivered' as const };
        return settleAll(claimed.map((one) => deliveries.record(one, tried, NOW)));
      },
  );
const otherDeliveries = fc.oneof(
  fc.tuple(several(receiver, 2), fc.integer({ min: 1, max: 3 })).map(
    ([receivers, limit]): Command =>
      async ({ deliveries }) => {
        await deliveries.findDueOf(receivers, NOW, limit);
        await deliveries.findDue(NOW, limit, { receivers });
        await deliveries.findDue(NOW, limit, { hosts: [receivers[0]?.host ?? ''], clients: ['cli_b'] });
      },
  ),
  fc.tuple(receiver, someDate).map(
    ([to, until]): Command =>
      ({ deliveries }) =>
        deliveries.postponeReceiver(to, until),
  ),
  fc.tuple(several(anId, 2), someDate).map(
    ([some, dueAt]): Command =>
      async ({ deliveries }) => {
        const due = await deliveries.findDueAmong(
          some.map((id) => `${id}:1`),
          NOW,
        );
        await deliveries.postpone(due.map((seen) => ({ seen, dueAt })));
        await settleAll(some.map((id) => deliveries.wakeNext(id, dueAt)));
        await deliveries.findByPayment(some[0] ?? '');
      },
  ),
  aDelivery.map(
    ({ paymentId }): Command =>
      async ({ deliveries }) => {
        const [first] = await deliveries.findByPayment(paymentId);
        return first && deliveries.replay(paymentId, first.eventId, NOW);
      },
  ),
);

test('MongoDB agrees on deliveries that are stored, claimed, recorded, postponed, woken and replayed', async () => {
  const store = several(fc.tuple(aDelivery, someDate)).map(
    (batch): Command =>
      ({ deliveries }) =>
        deliveries.insert(
          batch.map(([one]) => one),
          batch[0]?.[1] ?? NOW,
        ),
  );
  const list = commands(store, sendDeliveries, sendDeliveries, otherDeliveries);
  await fc.assert(fc.asyncProperty(list, mongoAgrees), RUNS);
});

const aScope = fc.record({
  clientId: fc.constant('cli_a'),
  path: fc.constant('POST /v1/payments'),
  key: fc.constantFrom('k1', 'k2'),
});
const startRow = fc
  .tuple(
    aScope,
    fc.constantFrom('digest-1', 'digest-2'),
    fc.constantFrom(-5_000, 30_000),
    fc.constantFrom('finish', 'abandon', 'forget', 'leave'),
  )
  .map(
    ([scope, digest, leaseMs, end]): Command =>
      async ({ idempotency }) => {
        const started = await idempotency.start(scope, digest, leaseMs);
        if (started.kind !== 'claimed') return;
        if (end === 'finish') await idempotency.finish(started.claim, { status: 200, body: '{}' });
        if (end === 'abandon') await idempotency.abandon(started.claim);
        if (end === 'forget') await idempotency.forget(started.claim);
      },
  );
const probe = fc.constantFrom('d1', 'd2', 'd3').map(
  (digest): Command =>
    async ({ probes }) => {
      await probes.add('cli_a/payment:a', digest);
      await probes.count('cli_a/payment:a');
    },
);

test('MongoDB agrees on rows of Idempotency-Key and of differing bodies', async () => {
  await fc.assert(fc.asyncProperty(commands(startRow, probe), mongoAgrees), RUNS);
});

const aSession = fc
  .tuple(
    fc.constantFrom('ses_1', 'ses_2'),
    fc.constantFrom('ref-1', 'ref-2'),
    maybe('checkAt', someDate),
    maybe('announceAt', someDate),
  )
  .map(([_id, referenceId, ...more]) =>
    Object.assign(
      { _id, clientId: 'cli_a', referenceId, status: 'pending', version: 1, tries: 0, events: [], removeAt: at(90) },
      { paymentRequest: { referenceId } },
      ...more,
    ),
  );
const sessionCommands = fc.oneof(
  aSession.map(
    (session): Command =>
      ({ sessions }) =>
        sessions.insert(session as never),
  ),
  aSession.map(
    (session): Command =>
      ({ reservations }) =>
        reservations.reserve(session as never),
  ),
  fc.tuple(aSession, fc.boolean()).map(
    ([session, clears]): Command =>
      async ({ sessions }) => {
        const found = await sessions.findById(session._id);
        if (found)
          await sessions.update(found, (one) => ({
            ...one,
            tries: one.tries + 1,
            ...(clears && { checkAt: undefined }),
          }));
        await sessions.findToCheck(NOW, 2);
        await sessions.findToAnnounce(NOW, 2);
        await sessions.findByReference('cli_a', session.referenceId);
        if (clears && found) await sessions.remove(found);
      },
  ),
);
const aLink = fc
  .tuple(fc.constantFrom('link-1', 'link-2'), maybe('checkAt', someDate), maybe('validUntil', someDate))
  .map(([_id, ...more]) =>
    Object.assign(
      {
        _id,
        externalId: _id,
        clientId: 'cli_a',
        merchantId: 1,
        status: 'active',
        claim: 1,
        entries: 0,
        createdAt: NOW,
      },
      ...more,
    ),
  );
const linkCommands = fc.oneof(
  aLink.map(
    (link): Command =>
      ({ links }) =>
        links.insert(link as never),
  ),
  fc.tuple(aLink, someDate, fc.integer({ min: 1, max: 2 })).map(
    ([{ _id }, when, number]): Command =>
      async ({ links }) => {
        const found = await links.findById(_id);
        if (!found) return;
        await links.nextClaim(_id, number);
        await links.lookAt(_id, when);
        await links.lookAgain(found, number === 1 ? when : undefined);
        await links.countEntry(_id);
        await links.findToCheck(NOW, 2);
        await links.findToDraw(NOW, 2);
        if (number === 2) await links.move(_id, ['active'], 'completed', when);
      },
  ),
);
const anInstrument = fc
  .tuple(
    fc.constantFrom('tok-1', 'tok-2'),
    maybe('cardDestroyAt', someDate),
    maybe('networkTransactionId', fc.constant('n1')),
  )
  .map(([_id, ...more]) =>
    Object.assign(
      { _id, clientId: 'cli_a', merchantId: 1, card: { ct: Buffer.from('sealed') }, createdAt: NOW },
      ...more,
    ),
  );
const instrumentCommands = fc.oneof(
  anInstrument.map(
    (one): Command =>
      ({ instruments }) =>
        instruments.insert(one as never),
  ),
  anInstrument.map(
    ({ _id }): Command =>
      async ({ instruments }) => {
        await instruments.noteCharge('cli_a', _id, {
          networkTransactionId: 'n2',
          updatedExpiry: { expMonth: 1, expYear: 2040 },
        });
        await instruments.destroyDueCards(NOW);
        await instruments.find('cli_a', _id);
      },
  ),
);

test('MongoDB agrees on sessions, links, saved cards and reservations', async () => {
  const list = commands(sessionCommands, linkCommands, instrumentCommands);
  await fc.assert(fc.asyncProperty(list, mongoAgrees), RUNS);
});

test('a collection with a different answer or different documents is detected', async () => {
  const store = new RecordingStore(() => NOW);
  const { payments } = repositoriesOf(store);
  await payments.insert(createdPayment({ _id: 'pay_1' }));
  const [insert] = store.statements;
  const wrongAnswer: SentStatement = {
    collection: 'payments',
    method: 'findOne',
    args: [{ _id: 'pay_1' }],
    now: NOW,
    answer: null,
    executed: true,
  };
  expect(await mongodb.differences([insert as SentStatement, wrongAnswer], (name) => store.all(name))).toHaveLength(1);
  expect(await mongodb.differences([insert as SentStatement], () => [])).toHaveLength(1);
});

test('of reads that find nothing while nothing changes, the first and the last are compared', async () => {
  const store = new RecordingStore(() => NOW);
  const { payments } = repositoriesOf(store);
  await payments.insert(createdPayment({ _id: 'pay_1', createdAt: NOW }));
  const [insert] = store.statements;
  const findsNothingBefore = (createdAt: Date): SentStatement => ({
    collection: 'payments',
    method: 'find',
    args: [{ createdAt: { $lt: createdAt } }],
    now: NOW,
    answer: [],
    executed: true,
  });
  const differences = (...seconds: number[]) =>
    mongodb.differences([insert as SentStatement, ...seconds.map((second) => findsNothingBefore(at(second)))], (name) =>
      store.all(name),
    );
  expect(await differences(-1, 0, 0, 0)).toEqual([]);
  expect(await differences(1, 0, 0, 0)).toHaveLength(1);
  expect(await differences(-1, 0, 0, 1)).toHaveLength(1);
  expect(await differences(-1, 1, 1, 0)).toEqual([]);
});
