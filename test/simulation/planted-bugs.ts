/**
 * Bugs that are planted one by one. Each violates one sentence of docs/reliability.md, by replacing parts, statements or values of the
 * product. The simulation has to find every one of them.
 */
import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { Processor, SendResult } from '../../shared/processors/processor.js';
import type { ScenarioName } from './scenarios.js';
import type { PlantedBugs } from './simulate.js';

/** A planted bug, and how the simulation has to find it. */
export interface BugCase {
  readonly bugs: PlantedBugs;
  /** The violation that the bug is known to cause. */
  readonly expectedViolation: RegExp;
  /** The scenarios that execute the buggy code. */
  readonly scenarios: readonly ScenarioName[];
}

type Filter = Record<string, unknown>;
type Bulk = Readonly<Record<string, { readonly filter: Filter; readonly update: unknown }>>;

/** Changes a payment before it is saved. */
const changingSaves = (change: (before: Payment, after: Payment) => Payment): PlantedBugs => ({
  parts: (parts) => {
    const { payments } = parts;
    const save: typeof payments.save = (before, after) => payments.save(before, change(before, after));
    const update: typeof payments.update = (start, plan) =>
      payments.update(start, (current) => {
        const next = plan(current);
        return next && change(current, next);
      });
    return { ...parts, payments: { ...payments, save, update } };
  },
});

/** Changes the statements of a bulk write on payments. */
const rewritingSaves = (rewrite: (statements: readonly Bulk[]) => readonly Bulk[]): PlantedBugs => ({
  rewriteStatement: (collection, method, args) =>
    collection === 'payments' && method === 'bulkWrite' ? [rewrite(args[0] as readonly Bulk[]), args[1]] : args,
});

/** Changes the pipeline by which payments are claimed. */
const rewritingClaims = (rewrite: (filter: Filter, set: Filter) => readonly [Filter, Filter]): PlantedBugs => ({
  rewriteStatement(collection, _method, args) {
    const [filter, update, options] = args as [Filter, readonly { $set?: Filter }[], unknown];
    const set = Array.isArray(update) ? update[0]?.$set : undefined;
    if (collection !== 'payments' || !set || !('work.leaseToken' in set)) return args;
    const [bentFilter, bentSet] = rewrite(filter, set);
    return [bentFilter, [{ $set: bentSet }], options];
  },
});

/** Treats an unknown outcome as "certainly not sent", so that the operation is sent again instead of inquired. */
function resendUnknown(processor: Processor): Processor {
  const blind =
    <R>(send: (request: R) => Promise<SendResult>) =>
    async (request: R): Promise<SendResult> => {
      const result = await send(request);
      return result.kind === 'unknown' ? { kind: 'not-sent', internal: 'planted' } : result;
    };
  return {
    ...processor,
    authorize: blind(processor.authorize),
    ...(processor.capture && { capture: blind(processor.capture) }),
    ...(processor.cancel && { cancel: blind(processor.cancel) }),
    ...(processor.refund && { refund: blind(processor.refund) }),
  };
}

const keptCvc = (before: Payment, after: Payment): Payment => (before.cvc ? { ...after, cvc: before.cvc } : after);
const reusedSeq = (before: Payment, after: Payment): Payment => {
  if (after.eventSeq === before.eventSeq || before.eventSeq === 0) return after;
  const events = after.events.map((event) => ({ ...event, seq: Math.min(event.seq, before.eventSeq) }));
  return { ...after, eventSeq: before.eventSeq, events };
};
/** A crash between two writes: the outcome is stored, but the work that follows from it is not. */
const lostWork = (before: Payment, after: Payment): Payment =>
  before.work?.kind === 'inquire' && after.work?.kind === 'inquire' ? { ...after, work: undefined } : after;
const halfCents = (_before: Payment, after: Payment): Payment =>
  after.refundedMinor > 0 ? { ...after, refundedMinor: after.refundedMinor * 1.000_1 } : after;
const refundOnce = (before: Payment, after: Payment): Payment =>
  after.refundedMinor > before.refundedMinor && before.refundedMinor > 0
    ? { ...after, refundedMinor: before.refundedMinor }
    : after;
/** An operation that was made at the acquirer is recorded without the acquirer's reference, by which a second event is known. */
const withoutReference = (_before: Payment, after: Payment): Payment => ({
  ...after,
  transactions: after.transactions.map((tx) => {
    const { processorReference: _known, ...rest } = tx;
    return tx.resultMessage === 'Approved: done at the processor' ? rest : tx;
  }),
});
/** The route changes after something was sent, but the key stays the same. */
const movedKey = (before: Payment, after: Payment): Payment =>
  before.work?.kind === 'authorize' && after.work?.kind === 'inquire' ? { ...after, acquirer: 'acquirer-b' } : after;

const withoutVersion = ({ version: _seen, ...filter }: Filter): Filter => filter;

/** Refuses a key that was sent before. */
function refusingRepeats(): (processor: Processor) => Processor {
  const sentKeys = new Set<string>();
  return (processor) => ({
    ...processor,
    authorize: async (request) => {
      const result = await processor.authorize(request);
      const repeated = sentKeys.has(request.key);
      sentKeys.add(request.key);
      return repeated ? { kind: 'failed', resultCode: '94', resultMessage: 'Duplicate' } : result;
    },
  });
}

/** The result of a call is decided by the state read before it, and overwrites the current state. */
const overwriting: PlantedBugs = {
  processor: refusingRepeats(),
  parts: (parts) => {
    const { payments } = parts;
    const update: typeof payments.update = async (start, plan) => {
      const next = plan(start);
      const current = next && (await payments.findById(start._id));
      if (!current) return undefined;
      const saved = await payments.save(current, { ...next, version: current.version, writes: current.writes });
      return typeof saved === 'object' ? saved : undefined;
    };
    return { ...parts, payments: { ...payments, update } };
  },
};

/** Swaps the tokens of the statements of a batch: a writer that lost reads that it won. */
function swapTokens(statements: readonly Bulk[]): readonly Bulk[] {
  const pushed = statements.map((one) => (one['updateOne']?.update as { $push?: unknown } | undefined)?.$push);
  if (statements.length < 2 || pushed.some((push) => push === undefined)) return statements;
  return statements.map((one, at) => {
    const { filter, update } = one['updateOne'] as Bulk[string];
    return { updateOne: { filter, update: { ...(update as object), $push: pushed[(at + 1) % pushed.length] } } };
  });
}

/** Events are first marked as announced, and only then stored as deliveries. */
const announcedBeforeStored: PlantedBugs = {
  parts: (parts) => {
    const { deliveries, payments } = parts;
    let stored: (() => Promise<unknown>) | undefined;
    const insert: typeof deliveries.insert = async (planned, now) => {
      stored = () => deliveries.insert(planned, now);
      return [];
    };
    const save: typeof payments.save = async (before, after) => {
      const saved = await payments.save(before, after);
      await stored?.();
      return saved;
    };
    return { ...parts, deliveries: { ...deliveries, insert }, announcements: { ...payments, save } };
  },
};

/** Work of a payment may be sent however long ago it was claimed. */
async function withoutSendLimit<T>(work: () => Promise<T>): Promise<T> {
  const bounds = limits as { sendByMs: number };
  const { sendByMs } = bounds;
  bounds.sendByMs = Number.POSITIVE_INFINITY;
  try {
    return await work();
  } finally {
    bounds.sendByMs = sendByMs;
  }
}

/** A request that is taken over gets another seed, and so makes another payment. */
const reseeded: PlantedBugs = {
  rewriteStatement(collection, method, args) {
    if (collection !== 'idempotency_rows' || method !== 'findOneAndUpdate') return args;
    const [filter, update, options] = args as [
      Filter,
      readonly { $replaceWith: { $cond: readonly unknown[] } }[],
      unknown,
    ];
    const [isGone, fresh, other] = update[0]?.$replaceWith.$cond ?? [];
    const [isLeft, , kept] = (other as { $cond: readonly unknown[] }).$cond;
    return [filter, [{ $replaceWith: { $cond: [isGone, fresh, { $cond: [isLeft, fresh, kept] }] } }], options];
  },
};

/** The claim on a one-time link is released when its payment takes long. */
const releasingLinkClaims: PlantedBugs = {
  parts: (parts) => {
    const { links } = parts;
    const lookAgain: typeof links.lookAgain = async (seen, at) => {
      const link = at && (await links.findById(seen._id));
      if (link) await links.nextClaim(link._id, link.claim);
      return links.lookAgain(seen, at);
    };
    return { ...parts, links: { ...links, lookAgain } };
  },
};

export const plantedBugs: Readonly<Record<string, BugCase>> = {
  'a write that does not look at the version': {
    bugs: rewritingSaves((statements) =>
      statements.map((one) =>
        Object.fromEntries(
          Object.entries(one).map(([name, { filter, update }]) => [name, { filter: withoutVersion(filter), update }]),
        ),
      ),
    ),
    expectedViolation: /I\d|books/,
    scenarios: ['capture against cancellation', 'two refunds that fit, not deduped'],
  },
  'a claim that forgets the attempt of another one': {
    bugs: rewritingClaims((filter, set) => {
      const { $ifNull } = set['work.attempt'] as { $ifNull: readonly unknown[] };
      return [filter, { ...set, 'work.attempt': $ifNull[1] }];
    }),
    expectedViolation: /I5|books/,
    scenarios: ['purchase, not deduped'],
  },
  'an unknown outcome that is sent again': {
    bugs: { processor: resendUnknown },
    expectedViolation: /I5|books/,
    scenarios: ['purchase, not deduped'],
  },
  'an unknown outcome that another route follows': {
    bugs: { processor: resendUnknown },
    expectedViolation: /I5|books/,
    scenarios: ['routed, approved by the first'],
  },
  'a route that is changed under one key': {
    bugs: changingSaves(movedKey),
    expectedViolation: /route/,
    scenarios: ['routed around a soft decline'],
  },
  'leases by a clock of its own': {
    bugs: rewritingClaims(({ $expr: _free, ...filter }, set) => [
      { ...filter, $expr: { $lt: ['$work.leaseUntil', { $add: ['$$NOW', 10_000] }] } },
      set,
    ]),
    expectedViolation: /I3/,
    scenarios: ['purchase, not deduped', 'two purchases at once'],
  },
  'leases that are never renewed': {
    bugs: { parts: (parts) => ({ ...parts, payments: { ...parts.payments, renewLeases: async () => undefined } }) },
    expectedViolation: /I3/,
    scenarios: ['purchase, not deduped'],
  },
  'a claim that allows to send however late': {
    bugs: { wrap: withoutSendLimit },
    expectedViolation: /I4/,
    scenarios: ['purchase, not deduped'],
  },
  'a cvc that is kept': { bugs: changingSaves(keptCvc), expectedViolation: /I10/, scenarios: ['purchase'] },
  'a number of an event that is used twice': {
    bugs: changingSaves(reusedSeq),
    expectedViolation: /I8/,
    scenarios: ['capture by hand'],
  },
  'a second operation beside one in flight': {
    bugs: {
      parts: (parts) => {
        const { payments } = parts;
        const findForClient: typeof payments.findForClient = async (id, clientId) => {
          const found = await payments.findForClient(id, clientId);
          return found && { ...found, activeOp: undefined };
        };
        return { ...parts, payments: { ...payments, findForClient } };
      },
    },
    expectedViolation: /I\d|books|rest/,
    scenarios: ['two refunds at once', 'capture against cancellation', 'two refunds that fit, not deduped'],
  },
  '"not found" believed at once': {
    bugs: { schedule: { notFoundSettlesMs: 0 } },
    expectedViolation: /books|I5/,
    scenarios: ['two refunds that fit, not deduped'],
  },
  'work that is not in the write of its state': {
    bugs: changingSaves(lostWork),
    expectedViolation: /I2/,
    scenarios: ['purchase, not deduped'],
  },
  'a final transaction that a later refusal overwrites': {
    bugs: overwriting,
    expectedViolation: /I6/,
    scenarios: ['purchase'],
  },
  'amounts that are not whole': {
    bugs: changingSaves(halfCents),
    expectedViolation: /I7/,
    scenarios: ['refund in two parts'],
  },
  'a refund that is not added up': {
    bugs: changingSaves(refundOnce),
    expectedViolation: /books|I\d/,
    scenarios: ['refund in two parts'],
  },
  'winners of a batch that are mixed up': {
    bugs: rewritingSaves(swapTokens),
    expectedViolation: /I1|500|end/,
    scenarios: ['two refunds at once'],
  },
  'a fan-out that advances before its deliveries are stored': {
    bugs: announcedBeforeStored,
    expectedViolation: /callback/,
    scenarios: ['delayed capture', 'transfer, paid'],
  },
  'a pool whose sweep is forgotten': {
    bugs: {
      pools: (pools) => pools.map((pool) => (pool.name === 'qr' ? { ...pool, sweep: async () => undefined } : pool)),
    },
    expectedViolation: /end|rest/,
    scenarios: ['transfer, paid'],
  },
  'an index that removes payments by their age': {
    bugs: {
      indexes: (collection, indexes) =>
        collection === 'payments'
          ? [...indexes, { keys: ['createdAt'], unique: false, expireAfterMs: 20_000 }]
          : indexes,
    },
    expectedViolation: /I1/,
    scenarios: ['3DS, late'],
  },
  'references without their unique index': {
    bugs: { indexes: (_collection, indexes) => indexes.map((index) => ({ ...index, unique: false })) },
    expectedViolation: /link|books|I\d|idempotency/,
    scenarios: ['one-time link, three payers'],
  },
  'an operation at the acquirer that is recorded for every event about it': {
    bugs: changingSaves(withoutReference),
    expectedViolation: /books/,
    scenarios: ['refund against a refund at the acquirer'],
  },
  'a claim of a link that time lets go': {
    bugs: releasingLinkClaims,
    expectedViolation: /link/,
    scenarios: ['one-time link, three payers'],
  },
  'a key that is taken over under another seed': {
    bugs: reseeded,
    expectedViolation: /idempotency/,
    scenarios: ['one key twice at once'],
  },
  'a callback that does not wait for the one before it': {
    bugs: {
      rewriteStatement: (collection, method, args) =>
        collection === 'deliveries' && method === 'find' && (args[0] as Filter)['state'] === 'waiting'
          ? [{ ...(args[0] as Filter), ...('paymentId' in (args[0] as Filter) && { seq: 0 }) }, args[1]]
          : args,
    },
    expectedViolation: /callback/,
    scenarios: ['transfer, paid twice'],
  },
};
