/** Sweeps that only time drives: one part or one record that fails delays no other. */

import { limits } from '../../config/limits.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { Log, LogFields } from '../../shared/log.js';
import { SaveConflictError } from '../../shared/store/payment.repository.js';
import { createExpiryPool, type ExpiryPoolDeps } from '../../workers/expiry/expiry-pool.js';
import { settleDeadlines } from '../../workers/expiry/settle-deadlines.handler.js';
import { settleLinks } from '../../workers/expiry/settle-links.handler.js';
import { settleSessions } from '../../workers/expiry/settle-sessions.handler.js';
import { createCertificateWatch } from '../../workers/expiry/watch-certificates.js';
import { applyForgotten } from '../../workers/processor/apply-update.handler.js';
import { checkRefunds } from '../../workers/processor/check-refunds.js';
import { checkTransfers } from '../../workers/qr/check-transfers.js';
import { drawForgotten, handleDraw } from '../../workers/qr/draw-link.handler.js';
import { sweepParts, withoutOverlap } from '../../workers/sweep-parts.js';
import { authorizedPayment, createdPayment, later, start } from '../domain/payment/a-payment.js';
import { nudgesTo } from '../support/nudges-to.js';
import { passingTime } from '../support/passing-time.js';

let lines: [string, LogFields][];
const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const failure = new Error('no primary');
beforeEach(() => {
  lines = [];
});
let now: Date;
const clock = { now: () => now };
beforeEach(() => {
  now = start;
});

test('parts run one after another; a part that fails counts as nothing found, and the others go on', async () => {
  const order: string[] = [];
  const part = (name: string, found: number) => async () => {
    order.push(`${name} begins`);
    await Promise.resolve();
    order.push(`${name} ends`);
    return found;
  };
  const found = await sweepParts(
    { log },
    { first: part('first', 2), broken: () => Promise.reject(failure), last: part('last', 3) },
  );
  expect(found).toEqual({ first: 2, broken: 0, last: 3 });
  expect(order).toEqual(['first begins', 'first ends', 'last begins', 'last ends']);
  expect(lines).toEqual([['sweep.failed', { kind: 'broken', error: failure }]]);
});

describe('sessions', () => {
  const session = (_id: string, more: Partial<Session> = {}) =>
    ({
      _id,
      traceId: `trace-${_id}`,
      type: 'checkout',
      status: 'pending',
      tries: 0,
      expiresAt: start,
      events: [],
      eventSeq: 0,
      settings: { paymentMethodTypes: ['card'], tokenization: { features: [] } },
      ...more,
    }) as Session;

  test('due sessions expire unless their payer tries meanwhile, and a session that fails is named', async () => {
    const asked: unknown[] = [];
    const saved: Session[] = [];
    const ids = ['ses_1', 'ses_broken', 'ses_tried'];
    const due = [...ids.map((id) => session(id)), session('ses_later', { expiresAt: later(5_000) })];
    const sessions = {
      findToCheck: async (...args: unknown[]) => {
        asked.push(args);
        return due;
      },
      update: async (current: Session, plan: (session: Session) => Session | undefined) => {
        if (current._id === 'ses_broken') throw failure;
        // The payer tries again while the sweep looks at the session.
        const after = plan(current._id === 'ses_tried' ? { ...current, tries: 1, triedAt: start } : current);
        if (after) saved.push(after);
        return after;
      },
    };
    const deps = { sessions, payments: {}, instruments: {}, clock, log } as never;
    expect(await settleSessions(deps)).toBe(4);
    expect(asked).toEqual([[start, limits.sweepPageMax, 0]]);
    expect(saved).toMatchObject([
      { _id: 'ses_1', status: 'expired' },
      { _id: 'ses_later', status: 'pending', checkAt: later(5_000) },
    ]);
    expect(lines).toHaveLength(2);
    expect(lines).toEqual(
      expect.arrayContaining([
        ['session.settled', { sessionId: 'ses_1', kind: 'expired', traceId: 'trace-ses_1' }],
        ['session.not-settled', { sessionId: 'ses_broken', error: failure }],
      ]),
    );
  });
});

describe('payment links', () => {
  const link = (_id: string, more: Partial<PaymentLink> = {}) =>
    ({
      _id,
      traceId: `trace-${_id}`,
      clientId: 'cli_a',
      type: 'permanent',
      status: 'active',
      claim: 1,
      ...more,
    }) as PaymentLink;

  test('links that are over expire, the others are looked at again later, and a link that fails is named', async () => {
    const asked: unknown[] = [];
    const again: unknown[] = [];
    const due = [
      link('lnk_1', { validUntil: start }),
      link('lnk_broken', { validUntil: start }),
      link('lnk_later', { validUntil: later(1) }),
    ];
    const links = {
      findToCheck: async (...args: unknown[]) => {
        asked.push(args);
        return due;
      },
      expire: async ({ _id: id }: PaymentLink) => {
        if (id === 'lnk_broken') throw failure;
        return link(id, { status: 'expired' });
      },
      lookAgain: async ({ _id }: PaymentLink, at: Date) => void again.push([_id, at]),
    };
    expect(await settleLinks({ links, payments: {}, clock, log } as never)).toBe(3);
    expect(asked).toEqual([[start, limits.sweepPageMax, 0]]);
    expect(again).toEqual([['lnk_later', later(1)]]);
    expect(lines).toHaveLength(2);
    expect(lines).toEqual(
      expect.arrayContaining([
        ['payment-link.settled', { linkId: 'lnk_1', kind: 'expired', traceId: 'trace-lnk_1' }],
        ['payment-link.not-settled', { linkId: 'lnk_broken', error: failure }],
      ]),
    );
  });

  test('pictures are drawn by sweeps and by nudges only where one is due, and one that fails is named', async () => {
    const asked: unknown[] = [];
    const saved: string[][] = [];
    const waiting = (address: string) => ({ picture: { address, drawAt: start } });
    const all = new Map(
      [
        link('lnk_1', waiting('https://gw.example/l/1')),
        link('lnk_broken', waiting('https://gw.example/l/2')),
        link('lnk_drawn', { picture: { address: 'https://gw.example/l/3' } as never }),
        link('lnk_none'),
      ].map((one) => [one._id, one]),
    );
    const links = {
      findById: async (id: string) => all.get(id),
      findToDraw: async (...args: unknown[]) => {
        asked.push(args);
        return [...all.values()];
      },
      savePicture: async (id: string, address: string, svg: string) => {
        if (id === 'lnk_broken') throw failure;
        saved.push([id, address, svg.slice(0, 4)]);
      },
    };
    const deps = { links, clock, log } as never;
    expect(await drawForgotten(deps)).toBe(4);
    expect(asked).toEqual([[start, limits.sweepPageMax, 0]]);
    expect(saved).toEqual([['lnk_1', 'https://gw.example/l/1', '<svg']]);
    expect(lines).toEqual([['payment-link.not-drawn', { linkId: 'lnk_broken', error: failure }]]);
    for (const id of ['lnk_1', 'lnk_drawn', 'lnk_none', 'lnk_gone']) await handleDraw(deps, id);
    expect(saved.map(([id]) => id)).toEqual(['lnk_1', 'lnk_1']);
  });
});

describe('expiring certificates of wallet-b', () => {
  function watch(endings: readonly object[], marked = true) {
    const asked: unknown[] = [];
    const marks: unknown[] = [];
    const events: string[] = [];
    const look = createCertificateWatch({
      walletIntegrations: {
        findEnding: async (...args: unknown[]) => {
          asked.push(args);
          return endings as never;
        },
        markWarned: async (...args: unknown[]) => {
          marks.push(args);
          return marked;
        },
      },
      log,
      metrics: { event: (event) => void events.push(event) },
    });
    return { look, asked, marks, events };
  }
  const ending = (merchantId: number, expiresAt: Date) => ({ merchantId, certificates: [{ expiresAt }] });

  test('the operator gets an event for each, and a log line that says whether it has expired', async () => {
    const { look, asked, marks, events } = watch([ending(1, later(1)), ending(2, start), { merchantId: 3 }]);
    expect(await look(start)).toBe(3);
    const again = later(-limits.walletWarnAgainMs);
    expect(asked).toEqual([[later(limits.certificateWarnMs), again]]);
    expect(marks).toEqual([
      [1, again, start],
      [2, again, start],
    ]);
    expect(events).toEqual(['wallet-certificate-expiring', 'wallet-certificate-expiring']);
    expect(lines).toEqual([
      [
        'wallet-certificate.expiring',
        { merchantId: 1, reason: `the wallet-b certificate ends at ${later(1).toISOString()}` },
      ],
      [
        'wallet-certificate.expired',
        { merchantId: 2, reason: `the wallet-b certificate ended at ${start.toISOString()}` },
      ],
    ]);
  });

  test('only one of several processes warns', async () => {
    const { look, events } = watch([ending(1, start)], false);
    expect(await look(start)).toBe(1);
    expect([events, lines]).toEqual([[], []]);
  });

  test('certificates are looked for now and then, not with every sweep', async () => {
    const { look, asked } = watch([]);
    await look(start);
    expect(await look(later(limits.walletCertificateSweepMs - 1))).toBe(0);
    expect(asked).toHaveLength(1);
    await look(later(limits.walletCertificateSweepMs));
    expect(asked).toHaveLength(2);
  });
});

describe('the expiry pool', () => {
  function pool(more: Partial<ExpiryPoolDeps> = {}, payments: object = {}) {
    const events: unknown[][] = [];
    const nudges: unknown[] = [];
    const deps = {
      payments: { findDueDeadlines: async () => [], destroyDueEnvelopes: async () => 0, ...payments },
      nudges: nudgesTo(async (job) => nudges.push(job.name) > 0),
      settleSessions: async () => 0,
      settleLinks: async () => 0,
      vault: { destroyExpiredKeys: async () => 0 },
      instruments: { destroyDueCards: async () => 0 },
      countNewer: async () => [],
      walletIntegrations: { findEnding: async () => [], markWarned: async () => true },
      metrics: { event: (...args: unknown[]) => void events.push(args) },
      clock,
      log,
      ...more,
    };
    return { pool: createExpiryPool(deps as unknown as ExpiryPoolDeps), events, nudges };
  }

  test('a sweep adds up what its parts found, and logs what it destroyed', async () => {
    const { pool: expiry } = pool(
      {
        settleSessions: async () => 1,
        settleLinks: async () => 20,
        instruments: { destroyDueCards: async () => 300 },
        vault: { destroyExpiredKeys: async () => 7 },
      },
      { destroyDueEnvelopes: async () => 600 },
    );
    expect(await expiry.sweep()).toEqual({ found: 921, more: false });
    expect(lines).toEqual([
      ['vault.keys-destroyed', { count: 7 }],
      ['vault.envelopes-destroyed', { count: 900 }],
    ]);
    expect([expiry.name, expiry.jobs]).toEqual(['expiry', []]);
    await expiry.close();
  });

  test('a sweep that finds nothing logs nothing', async () => {
    expect(await pool().pool.sweep()).toEqual({ found: 0, more: false });
    expect(lines).toEqual([]);
  });

  test.each(['settleSessions', 'settleLinks'] as const)('a full page of %s asks for the next sweep', async (part) => {
    const full = { [part]: async () => limits.sweepPageMax };
    expect(await pool(full).pool.sweep()).toEqual({ found: limits.sweepPageMax, more: true });
  });

  test('a full page of destroyed cards or envelopes asks for the next sweep', async () => {
    const destroyed = limits.dueChangedMax;
    const cards = pool({ instruments: { destroyDueCards: async () => destroyed } });
    expect(await cards.pool.sweep()).toEqual({ found: destroyed, more: true });
    const envelopes = pool({}, { destroyDueEnvelopes: async () => destroyed });
    expect(await envelopes.pool.sweep()).toEqual({ found: destroyed, more: true });
  });

  const due = (payments: readonly Payment[], update: (payment: Payment) => Promise<Payment>) => ({
    findDueDeadlines: async () => payments,
    update: async (payment: Payment, plan: (current: Payment) => Payment | undefined) => {
      const after = plan(await update(payment));
      return after && { ...after, version: payment.version + 1 };
    },
  });
  const delayed = () => authorizedPayment({ captureMethod: 'automatic', captureDelaySeconds: 60 });

  test('a deadline starts its operation, with a log line and a nudge', async () => {
    now = later(limits.authorizationExpiryMs);
    const payment = delayed();
    const { pool: expiry, nudges } = pool(
      {},
      due([payment], async (current) => current),
    );
    expect(await expiry.sweep()).toEqual({ found: 1, more: false });
    expect(lines).toEqual([
      [
        'deadline.started',
        { paymentId: payment._id, txId: expect.any(String), kind: 'capture', traceId: payment.traceId },
      ],
    ]);
    expect(nudges).toEqual(['capture-payment']);
  });

  test('when the time of a challenge is up, its result is fetched', async () => {
    const payment = createdPayment({
      status: 'pending',
      work: undefined,
      deadline: { kind: 'challenge', at: start },
    } as never);
    const { pool: expiry, nudges } = pool(
      {},
      due([payment], async (current) => current),
    );
    await expiry.sweep();
    expect(lines).toMatchObject([['deadline.started', { kind: 'conclude' }]]);
    expect(nudges).toEqual(['conclude-authentication']);
  });

  test('a payment that moved on, that others keep writing, or that fails delays no other', async () => {
    now = later(limits.authorizationExpiryMs);
    const payments = [delayed(), delayed(), delayed(), delayed()] as const;
    const [moved, contended, broken] = payments;
    const { pool: expiry } = pool(
      {},
      due(payments, async (current) => {
        if (current === moved) return { ...current, deadline: undefined } as never;
        if (current === contended) throw new SaveConflictError(current._id);
        if (current === broken) throw failure;
        return current;
      }),
    );
    expect((await expiry.sweep()).found).toBe(4);
    expect(lines).toHaveLength(3);
    expect(lines).toEqual(
      expect.arrayContaining([
        ['deadline.contended', { paymentId: contended._id }],
        ['deadline.not-settled', { paymentId: broken._id, error: failure }],
        ['deadline.started', expect.anything()],
      ]),
    );
  });

  test('after a restore no deadline starts an operation, but sealed data is still destroyed', async () => {
    let looked = 0;
    const { pool: expiry } = pool(
      { restored: () => 'safe mode', instruments: { destroyDueCards: async () => 2 } },
      {
        findDueDeadlines: async () => {
          looked += 1;
          return [];
        },
      },
    );
    expect(await expiry.sweep()).toEqual({ found: 2, more: false });
    expect(looked).toBe(0);
  });

  test('documents of a newer release are reported to the operator now and then', async () => {
    let counted = 0;
    const { pool: expiry, events } = pool({
      countNewer: async () => {
        counted += 1;
        return [['payments', 3]];
      },
    });
    await expiry.sweep();
    await expiry.sweep();
    expect(counted).toBe(1);
    expect(events).toEqual([['document-newer', 3]]);
    expect(lines).toEqual([['document.newer', { kind: 'payments', count: 3 }]]);
  });
});

describe('work behind a full page of which nothing can be done does not wait for that page', () => {
  // A sweep also ends by time, which a busy machine would reach.
  let standing: ReturnType<typeof passingTime>;
  beforeEach(() => {
    standing = passingTime({ frozen: true });
  });
  afterEach(() => standing.giveBack());

  const pages = (count: number) =>
    Array.from({ length: count * limits.sweepPageMax }, (_, n) => ({
      ...{
        _id: `id_${n}`,
        type: 'one-time',
        status: 'active',
        tries: 0,
        expiresAt: later(1),
        processor: 'fake',
        transactions: [],
      },
      ...{ picture: { address: 'https://gw.example/l/1', drawAt: start }, settings: {} },
    }));
  /** @param failing how many of the documents, the longest due first, cannot be written */
  function given(due: readonly object[], failing: number) {
    let calls = 0;
    const write = async () => {
      calls += 1;
      if (calls <= failing) throw failure;
      return undefined;
    };
    const find = async (_now: Date, limit: number, skip = 0) => due.slice(skip, skip + limit);
    return {
      sessions: { findToCheck: find, update: write },
      payments: {
        findDueDeadlines: find,
        findTransferChecks: find,
        findRefundChecks: find,
        findByRefKey: write,
        update: write,
      },
      links: { findToCheck: find, findToDraw: find, lookAgain: async () => undefined, savePicture: write },
      updates: { findDue: find, claim: write },
      processors: { get: () => undefined },
      instruments: {},
      ...{ clock, log },
    } as never;
  }

  test.each([
    ['sessions', settleSessions],
    ['links', settleLinks],
    ['deadlines', settleDeadlines],
    ['pictures', drawForgotten],
    ['transfers', checkTransfers],
    ['updates', (deps: never) => applyForgotten(deps, start)],
    ['refunds', (deps: never) => checkRefunds(deps, start)],
  ] as const)('%s', async (_what, sweep) => {
    const behind = pages(2).slice(0, limits.sweepPageMax + 3);
    expect(await sweep(given(behind, limits.sweepPageMax))).toBe(3);
    expect(lines).toHaveLength(limits.sweepPageMax);
    expect(await sweep(given(pages(2), limits.sweepPageMax))).toBe(limits.sweepPageMax);
    // One that was done makes the next sweep follow at once.
    expect(await sweep(given(pages(2), limits.sweepPageMax - 1))).toBe(limits.sweepPageMax);
    lines = [];
    expect(await sweep(given(pages(limits.sweepPagesFailedMax + 1), Number.POSITIVE_INFINITY))).toBe(0);
    expect(lines).toHaveLength(limits.sweepPagesFailedMax * limits.sweepPageMax);
  });
});

describe('a part that asks outside parties', () => {
  test('runs again only when its last round has ended, and delays no other part', async () => {
    let end = (_found: number) => {};
    let rounds = 0;
    const part = withoutOverlap({ log }, 'asked', () => {
      rounds += 1;
      return new Promise((resolve) => {
        end = resolve;
      });
    });
    // The wait for the round is over, and a second round does not begin beside it.
    expect(await part()).toBe(0);
    expect([await part(), rounds]).toEqual([0, 1]);
    end(7);
    await new Promise((resolve) => setImmediate(resolve));
    const again = part();
    end(5);
    expect([await again, rounds]).toEqual([5, 2]);
  });

  test('logs a round that fails, and makes the next one', async () => {
    const answers = [() => Promise.reject(failure), async () => 3];
    const part = withoutOverlap({ log }, 'asked', async () => (answers.shift() ?? (async () => 0))());
    expect([await part(), await part()]).toEqual([0, 3]);
    expect(lines).toEqual([['sweep.failed', { kind: 'asked', error: failure }]]);
  });
});
