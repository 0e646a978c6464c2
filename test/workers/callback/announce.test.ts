/** Fan-out of payments and sessions: deliveries are stored first, and an event that cannot be announced delays no other. */
import { limits } from '../../../config/limits.js';
import { deliveryId } from '../../../shared/domain/callback/delivery.js';
import type { PlannedDelivery } from '../../../shared/domain/callback/plan-fan-out.js';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import type { Session } from '../../../shared/domain/session/session.js';
import type { Log, LogFields } from '../../../shared/log.js';
import { createAnnouncer } from '../../../workers/callback/announce-payment.handler.js';
import { announceSessions } from '../../../workers/callback/announce-session.handler.js';
import { announcedPayment } from '../../domain/callback/announced-payment.js';
import { start } from '../../domain/payment/a-payment.js';
import { passingTime } from '../../support/passing-time.js';

const URL = 'https://shop.example:8443/callbacks';
const failure = new Error('no primary');
let steps: string[];
let lines: [string, LogFields][];
beforeEach(() => {
  steps = [];
  lines = [];
});
const note = (message: string, fields: LogFields = {}) => void lines.push([message, fields]);
const log: Log = { debug: note, info: note, warn: note, error: note, with: () => log };
const clock = { now: () => start };
const idOf = (paymentId: string) => deliveryId(paymentId, 1);

/** @param known ids of deliveries that are stored already */
function store(payments: readonly Payment[], { known = [] as string[], save = (_id: string): unknown => ({}) } = {}) {
  const asked: [now: Date, limit: number, skip: number | undefined][] = [];
  const pages = [payments];
  const announcer = createAnnouncer({
    announcements: {
      findByIds: async (ids) => payments.filter(({ _id }) => ids.includes(_id)),
      findToAnnounce: async (now, limit, skip) => {
        asked.push([now, limit, skip]);
        return [...(pages.shift() ?? [])];
      },
      save: async (before, after) => {
        steps.push(`save ${before._id} to ${after.fannedOutSeq}`);
        return save(before._id) as never;
      },
    },
    deliveries: {
      insert: async (planned: readonly PlannedDelivery[], now: Date) => {
        steps.push(`insert ${planned.length} at ${now.toISOString()}`);
        return planned.filter(({ _id }) => !known.includes(_id)) as never;
      },
    } as never,
    clock,
    log,
  });
  return { announcer, asked, pages };
}
const payment = (id: string, url: string | undefined = URL) => announcedPayment(id, url, [{}], start);

describe('payments', () => {
  test('deliveries are stored before payments, and new deliveries are distinguished from known ones', async () => {
    const { announcer } = store([payment('pay_1'), payment('pay_2')], { known: [idOf('pay_2')] });
    const announced = await announcer.announce(['pay_1', 'pay_2', 'pay_none']);
    expect(announced.stored).toMatchObject([{ _id: idOf('pay_1'), url: URL, host: 'shop.example:8443' }]);
    expect(announced.knownIds).toEqual([idOf('pay_2')]);
    expect(steps).toEqual([`insert 2 at ${start.toISOString()}`, 'save pay_1 to 1', 'save pay_2 to 1']);
    expect(lines).toEqual([]);
  });

  test('a payment with nothing to announce is not written', async () => {
    const { announcer } = store([{ ...payment('pay_1'), fannedOutSeq: 1, announceAt: undefined } as never]);
    await announcer.announce(['pay_1']);
    expect(steps).toEqual([`insert 0 at ${start.toISOString()}`]);
  });

  test('a payment that cannot be planned or saved is named, and delays no other', async () => {
    const { announcer } = store([payment('pay_bad', 'no address'), payment('pay_lost'), payment('pay_1')], {
      save: (id) => (id === 'pay_lost' ? Promise.reject(failure) : {}),
    });
    expect((await announcer.announce(['pay_bad', 'pay_lost', 'pay_1'])).stored).toHaveLength(2);
    expect(lines).toEqual([
      [
        'payment.announce-failed',
        { paymentId: 'pay_bad', error: expect.objectContaining({ code: 'ERR_INVALID_URL' }) },
      ],
      ['payment.announce-failed', { paymentId: 'pay_lost', error: failure }],
    ]);
  });

  test('the sweep counts the payments that were saved', async () => {
    const saves: Record<string, unknown> = { pay_1: {}, pay_2: 'conflict', pay_3: Promise.reject(failure) };
    const { announcer, asked } = store(
      Object.keys(saves).map((id) => payment(id)),
      { save: (id) => saves[id] },
    );
    expect(await announcer.announceDue()).toBe(1);
    expect(asked).toEqual([[start, limits.sweepPageMax, 0]]);
  });

  test('a full page of payments is followed by the next one, behind the payments that could not be saved', async () => {
    const full = Array.from({ length: limits.sweepPageMax }, (_, n) => payment(`pay_${n}`));
    const { announcer, asked, pages } = store(full);
    pages.push([payment('pay_last')]);
    expect(await announcer.announceDue()).toBe(limits.sweepPageMax + 1);
    expect(asked.map(([, , skip]) => skip)).toEqual([0, 0]);
    const few = store(full, { save: (id) => (['pay_0', 'pay_9'].includes(id) ? Promise.reject(failure) : {}) });
    few.pages.push([payment('pay_last')]);
    expect(await few.announcer.announceDue()).toBe(limits.sweepPageMax - 1);
    expect(few.asked.map(([, , skip]) => skip)).toEqual([0, 2]);
    const stuck = store(full, { save: () => 'conflict' });
    stuck.pages.push(...Array.from({ length: 9 }, () => full));
    expect(await stuck.announcer.announceDue()).toBe(0);
    const skipped = Array.from({ length: limits.sweepPagesFailedMax }, (_, n) => n * limits.sweepPageMax);
    expect(stuck.asked.map(([, , skip]) => skip)).toEqual(skipped);
  });
});

test('a sweep of payments ends in time however many are due, because deliveries wait behind it', async () => {
  const full = Array.from({ length: limits.sweepPageMax }, (_, n) => payment(`pay_${n}`));
  const time = passingTime();
  try {
    const { announcer, pages } = store(full, {
      save: () => {
        time.by(limits.sweepWaitMs / limits.sweepPageMax);
        return {};
      },
    });
    pages.push(...Array.from({ length: 9 }, () => full));
    expect(await announcer.announceDue()).toBe(limits.sweepPageMax);
    expect(pages).toHaveLength(9);
  } finally {
    time.giveBack();
  }
});

describe('sessions', () => {
  const event = (seq: number, url = URL) => ({ seq, url, body: `body ${seq}`, at: start });
  const session = (_id: string, events: readonly object[], more: object = {}) =>
    ({ _id, clientId: 'cli_a', events, eventSeq: events.length, announceAt: start, ...more }) as unknown as Session;

  /** @param later pages that the next searches find */
  function announce(
    due: readonly Session[],
    update = async (current: Session) => current,
    later: readonly (readonly Session[])[] = [],
  ) {
    const pages = [due, ...later];
    const inserted: PlannedDelivery[] = [];
    const updated: (Session | undefined)[] = [];
    const asked: unknown[] = [];
    const done = announceSessions({
      sessions: {
        findToAnnounce: async (...args: unknown[]) => {
          asked.push(args);
          return [...(pages.shift() ?? [])];
        },
        update: async (found: Session, plan: (current: Session) => Session | undefined) => {
          steps.push(`update ${found._id}`);
          const after = plan(await update(found));
          updated.push(after);
          return after;
        },
      } as never,
      deliveries: {
        insert: async (planned: readonly PlannedDelivery[]) => {
          steps.push('insert');
          inserted.push(...planned);
          return [];
        },
      } as never,
      clock,
      log,
    });
    return { done, inserted, updated, asked };
  }

  test('a full page of sessions is followed by the next one, behind the sessions that could not be saved', async () => {
    const full = Array.from({ length: limits.sweepPageMax }, (_, n) => session(`ses_${n}`, [event(1)]));
    const many = announce(full, undefined, [full, [session('ses_last', [event(1)])]]);
    expect(await many.done).toBe(2 * limits.sweepPageMax + 1);
    expect(many.asked).toHaveLength(3);
    const stuck = announce(full, () => Promise.reject(failure), [full, [session('ses_last', [event(1)])]]);
    expect(await stuck.done).toBe(0);
    expect(stuck.asked).toEqual([0, 1, 2].map((page) => [start, limits.sweepPageMax, page * limits.sweepPageMax]));
  });

  test('a sweep ends in time however many sessions are due', async () => {
    const full = Array.from({ length: limits.sweepPageMax }, (_, n) => session(`ses_${n}`, [event(1)]));
    const time = passingTime();
    try {
      const slow = async (current: Session) => {
        time.by(limits.sweepWaitMs / limits.sweepPageMax);
        return current;
      };
      const { done, asked } = announce(full, slow, [full, full]);
      expect(await done).toBe(limits.sweepPageMax);
      expect(asked).toHaveLength(1);
    } finally {
      time.giveBack();
    }
  });

  test('each event becomes a delivery, then leaves the session', async () => {
    const { done, inserted, updated, asked } = announce([session('ses_1', [event(1), event(2)])]);
    expect(await done).toBe(1);
    expect(asked).toEqual([[start, limits.sweepPageMax, 0]]);
    expect(inserted).toEqual(
      [1, 2].map((seq) => ({
        ...{ _id: deliveryId('ses_1', seq), paymentId: 'ses_1', clientId: 'cli_a', seq, url: URL },
        ...{ host: 'shop.example:8443', body: `body ${seq}`, resourceVersion: seq, createdAt: start },
      })),
    );
    expect(steps).toEqual(['insert', 'update ses_1']);
    expect(updated).toMatchObject([{ events: [] }]);
    expect(updated[0]?.announceAt).toBeUndefined();
  });

  test('an event that is added meanwhile stays in the session, and is due', async () => {
    const at = new Date(start.getTime() + 5);
    const { done, updated } = announce([session('ses_1', [event(1)])], async (found) => ({
      ...found,
      eventSeq: 2,
      events: [...found.events, { ...event(2), at } as never],
    }));
    await done;
    expect(updated).toMatchObject([{ events: [{ seq: 2 }], announceAt: at }]);
  });

  test('a session whose events another process took out already is not written', async () => {
    const { done, updated } = announce([session('ses_1', [event(1)])], async (found) => ({ ...found, events: [] }));
    await done;
    expect(updated).toEqual([undefined]);
  });

  test('a session that cannot be planned or saved is named, and delays no other', async () => {
    const due = [
      session('ses_bad', [event(1, 'no address')]),
      session('ses_lost', [event(1)]),
      session('ses_1', [event(1)]),
    ];
    const { done, updated } = announce(due, (found) =>
      found._id === 'ses_lost' ? Promise.reject(failure) : Promise.resolve(found),
    );
    expect(await done).toBe(1);
    expect(updated).toHaveLength(1);
    expect(lines).toEqual([
      [
        'session.announce-failed',
        { sessionId: 'ses_bad', error: expect.objectContaining({ code: 'ERR_INVALID_URL' }) },
      ],
      ['session.announce-failed', { sessionId: 'ses_lost', error: failure }],
    ]);
  });
});
