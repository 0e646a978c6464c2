/** The adapter with a real MongoDB and an acquirer on jPOS: whatever happens, the acquirer's books and our journal agree. */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { createIso8583Processor } from '../../../shared/processors/iso8583/create-iso8583-processor.js';
import type { AuthorizeRequest, FollowUpRequest, LedgerEntry } from '../../../shared/processors/processor.js';
import type { IsoExchange } from '../../../shared/store/iso8583-exchange.model.js';
import { type Acquirer, amounts, describeWithJpos, startAcquirer } from '../../support/jpos/acquirer.js';
import { authorizeRequest, followUpRequest, inquireRequest, reverseRequest } from '../port-requests.js';
import { cardOf } from '../sandbox/sandbox-harness.js';
import { defaultProfile, type IsoHarness, openIsoHarness } from './iso-harness.js';

type Adapter = ReturnType<typeof createIso8583Processor>;

const TIMEOUT_MS = 400;
const DECLINED = cardOf('4000000000000002');
const newKey = () => `txn_${randomBytes(16).toString('hex')}`;
const base = { acquirer: 'iso8583' };

const request = (more: Partial<AuthorizeRequest> = {}): AuthorizeRequest =>
  authorizeRequest('4242424242424242', { ...base, key: newKey(), ...more });
const onto = ({ key }: { key: string }, amountMinor: number): FollowUpRequest =>
  followUpRequest(key, { ...base, key: newKey(), amountMinor });
const inquiry = ({ key, amountMinor }: { key: string; amountMinor: number }) =>
  inquireRequest(key, { ...base, amountMinor });
const reversal = ({ key, amountMinor }: AuthorizeRequest) => reverseRequest(key, { ...base, amountMinor });

const kinds: Readonly<Record<string, string>> = { cancel: 'cancellation' };

/** Returns the lines that the acquirer's books must have for an exchange. */
function expectedLines({ _id, kind, state, outcome, original, amountMinor, reversal: undo }: IsoExchange) {
  if (kind === 'tombstone') return [];
  const result = state === 'reversed' ? 'reversed' : outcome?.kind;
  const about = original === undefined ? null : original;
  const line = {
    key: _id,
    kind: kinds[kind] ?? kind,
    original: about,
    amountMinor: undo?.amountMinor ?? amountMinor,
    result,
  };
  if (state !== 'reversed') return [line];
  return [line, { ...line, key: `${_id}-reverse`, kind: 'reversal', original: _id }];
}

const comparableLine = ({ key, kind, original, amountMinor, result }: LedgerEntry) => ({
  key,
  kind,
  original,
  amountMinor,
  result,
});
const sorted = <T extends { key: string }>(lines: readonly T[]) =>
  [...lines].sort((a, b) => a.key.localeCompare(b.key));

describeWithJpos('iso8583 with an acquirer on jPOS', () => {
  let acquirer: Acquirer;
  let harness: IsoHarness;
  let adapter: Adapter;
  const opened: Adapter[] = [];

  const open = (more: Parameters<IsoHarness['connect']>[1] = {}) => {
    const one = harness.connect(acquirer.port, { timeoutMs: TIMEOUT_MS, ...more });
    opened.push(one);
    return one;
  };
  const linesOf = async ({ key }: { key: string }) =>
    (await harness.ledger(acquirer)).filter((line) => line.key === key || line.original === key);
  const exchangeOf = async ({ key }: { key: string }) => (await harness.exchanges()).find(({ _id }) => _id === key);

  beforeAll(async () => {
    acquirer = await startAcquirer();
    harness = await openIsoHarness('iso8583');
    adapter = open();
    // The adapter connects here, before the first short time-out runs.
    await adapter.authorize(request());
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) if (one !== adapter) await one.close();
  });
  afterAll(async () => {
    await adapter?.close();
    await acquirer?.close();
    await harness?.close();
  });

  /** Checks that an inquiry reverses a message without a valid answer. */
  async function expectReversed(sent: AuthorizeRequest) {
    await sleep(TIMEOUT_MS);
    const failed = { kind: 'found', outcome: { kind: 'failed', resultCode: '91' } };
    expect(await adapter.inquire(inquiry(sent))).toMatchObject(failed);
    expect(await adapter.inquire(inquiry(sent))).toMatchObject(failed);
    expect(await linesOf(sent)).toMatchObject([
      { kind: 'purchase', result: 'reversed' },
      { kind: 'reversal', original: sent.key, result: 'reversed' },
    ]);
  }

  it.each(['silent', 'late', 'dropped'] as const)(
    'a payment with the fault "%s" after booking is unknown, and is reversed',
    async (how) => {
      const sent = request({ amountMinor: amounts[how] });
      expect(await adapter.authorize(sent)).toMatchObject({ kind: 'unknown' });
      // The late answer has arrived by now, and does not count.
      if (how === 'late') await sleep(TIMEOUT_MS);
      await expectReversed(sent);
    },
  );

  it.each(['anotherAmount', 'anotherCurrency', 'anotherStan', 'anotherTerminal'] as const)(
    'an answer with the fault "%s" is unknown, and is reversed',
    async (how) => {
      const sent = request({ amountMinor: amounts[how] });
      expect(await adapter.authorize(sent)).toMatchObject({ kind: 'unknown' });
      await expectReversed(sent);
    },
  );

  it('a reversal without an answer is repeated under the same trace numbers until it is answered', async () => {
    const sent = request({ amountMinor: amounts.silent });
    await adapter.authorize(sent);
    await sleep(TIMEOUT_MS);
    await acquirer.control('silent-reversals/2');
    const { repeats } = await acquirer.counts();
    expect(await adapter.inquire(inquiry(sent))).toMatchObject({ kind: 'no-answer' });
    expect(await adapter.lines()).toMatchObject({ connected: 1, wanted: 1, openReversals: 1 });
    const first = (await exchangeOf(sent))?.reversal;
    expect(await adapter.inquire(inquiry(sent))).toMatchObject({ kind: 'no-answer' });
    expect(await adapter.inquire(inquiry(sent))).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
    expect((await exchangeOf(sent))?.reversal).toEqual(first);
    expect((await acquirer.counts()).repeats).toBe(repeats + 2);
    expect(await linesOf(sent)).toHaveLength(2);
    expect(harness.log.text()).toContain('"code":"0421"');
  });

  it('a payment that the acquirer never saw is given up only when it cannot arrive any more', async () => {
    const sent = request({ amountMinor: amounts.unseen });
    expect(await adapter.authorize(sent)).toMatchObject({ kind: 'unknown' });
    await sleep(TIMEOUT_MS);
    expect(await adapter.inquire(inquiry(sent))).toMatchObject({
      kind: 'no-answer',
      internal: expect.stringMatching(/may still arrive/),
      // The next inquiry is made at this time; the schedule would make it minutes later.
      knowsOutcomeAt: expect.any(Date),
    });
    expect(await adapter.reverse(reversal(sent))).toMatchObject({ kind: 'no-answer' });
    const later = open({ clock: { now: () => new Date(Date.now() + 120_000) } });
    expect(await later.inquire(inquiry(sent))).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
    expect((await linesOf(sent)).map(({ kind, result }) => [kind, result])).toEqual([['reversal', 'tombstone']]);
  });

  it('a capture without an answer is repeated and booked once', async () => {
    const hold = request({ capture: false });
    await adapter.authorize(hold);
    await acquirer.control('silent-advices/2');
    const capture = onto(hold, 600);
    expect(await adapter.capture(capture)).toMatchObject({ kind: 'unknown' });
    await sleep(TIMEOUT_MS);
    expect(await adapter.inquire(inquiry(capture))).toMatchObject({ kind: 'no-answer' });
    expect(await adapter.inquire(inquiry(capture))).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
    expect(await adapter.capture(capture)).toMatchObject({ kind: 'approved' });
    expect(await linesOf(capture)).toMatchObject([{ kind: 'capture', original: hold.key, amountMinor: 600 }]);
  });

  it('a cancellation without an answer is repeated and booked once', async () => {
    const hold = request({ capture: false });
    await adapter.authorize(hold);
    await acquirer.control('silent-reversals/1');
    const cancel = onto(hold, 1_000);
    expect(await adapter.cancel(cancel)).toMatchObject({ kind: 'unknown' });
    await sleep(TIMEOUT_MS);
    expect(await adapter.inquire(inquiry(cancel))).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
    expect(await linesOf(cancel)).toMatchObject([{ kind: 'cancellation', original: hold.key }]);
  });

  it('a refund without an answer is reversed, and can be made again', async () => {
    const bought = request({ amountMinor: 200_000 });
    await adapter.authorize(bought);
    const lost = onto(bought, amounts.silent);
    expect(await adapter.refund(lost)).toMatchObject({ kind: 'unknown' });
    await sleep(TIMEOUT_MS);
    expect(await adapter.inquire(inquiry(lost))).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
    expect(await adapter.refund(onto(bought, 200_000))).toMatchObject({ kind: 'approved' });
    expect(await adapter.refund(onto(bought, 1))).toMatchObject({ kind: 'declined' });
  });

  it('a partial approval is reversed and declined', async () => {
    const sent = request({ amountMinor: amounts.partial });
    const declined = { kind: 'declined', resultCode: '10', declineCode: 'insufficient_funds' };
    expect(await adapter.authorize(sent)).toMatchObject(declined);
    expect(await adapter.inquire(inquiry(sent))).toMatchObject({ kind: 'found', outcome: declined });
    expect(await linesOf(sent)).toMatchObject([
      { kind: 'purchase', amountMinor: 45_000, result: 'reversed' },
      { kind: 'reversal', amountMinor: 45_000, result: 'reversed' },
    ]);
  });

  it('a partial approval whose reversal has no answer is unknown, and declined in the end', async () => {
    const sent = request({ amountMinor: amounts.partial });
    await acquirer.control('silent-reversals/1');
    expect(await adapter.authorize(sent)).toMatchObject({ kind: 'unknown' });
    expect(await adapter.inquire(inquiry(sent))).toMatchObject({ kind: 'found', outcome: { kind: 'declined' } });
    expect((await linesOf(sent)).map(({ result }) => result)).toEqual(['reversed', 'reversed']);
  });

  it('a technical refusal is a failure', async () => {
    expect(await adapter.authorize(request({ amountMinor: amounts.broken }))).toMatchObject({
      kind: 'failed',
      resultCode: '96',
    });
  });

  it('another process finds the outcome, and a later answer to the first process does not count', async () => {
    const other = open();
    const sent = request({ amountMinor: amounts.late });
    const slow = open({ timeoutMs: 5_000 });
    await slow.authorize(request());
    const answer = slow.authorize(sent);
    await sleep(100);
    // By the clock of this adapter the time is over.
    const hasty = open({ clock: { now: () => new Date(Date.now() + 10_000) } });
    expect(await other.inquire(inquiry(sent))).toMatchObject({ kind: 'no-answer' });
    expect(await hasty.inquire(inquiry(sent))).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
    expect(await answer).toEqual({ kind: 'unknown', internal: 'answered while it was being taken back' });
    expect(await linesOf(sent)).toMatchObject([{ result: 'reversed' }, { kind: 'reversal' }]);
  });

  it('refuses a payment before sending it if the messages have no place for a detail', async () => {
    const { places, ...profile } = defaultProfile;
    const { eci: _eci, ...fewer } = places;
    const poor = open({ profile: { ...profile, places: fewer } });
    const sent = request({ proof: { version: '2.2.0', eci: '05' } });
    expect(await poor.authorize(sent)).toEqual({
      kind: 'failed',
      resultCode: '40',
      resultMessage: "Not sent: the acquirer's messages have no place for eci",
    });
    expect(await exchangeOf(sent)).toBeUndefined();
    expect(await adapter.authorize(sent)).toMatchObject({ kind: 'approved' });
  });

  it('reconnects when the acquirer drops the connection, and answers its echo', async () => {
    const { connections, network } = await acquirer.counts();
    await acquirer.control('drop');
    await sleep(50);
    expect(await open({ timeoutMs: 3_000 }).authorize(request())).toMatchObject({ kind: 'approved' });
    const again = await adapter.authorize(request());
    expect(['approved', 'unknown']).toContain(again.kind);
    expect((await acquirer.counts()).connections).toBeGreaterThan(connections);
    expect((await acquirer.counts()).network).toBeGreaterThan(network);
  });

  it('5,000 messages, 64 in flight over four processes, have unique STANs and both ledgers agree', async () => {
    const before = new Set((await harness.exchanges()).map(({ _id }) => _id));
    const workers = Array.from({ length: 4 }, () => open({ timeoutMs: 30_000, logMessages: false }));
    let left = 5_000;
    const one = async (worker: Adapter) => {
      left -= 1;
      const chosen = left % 10;
      if (chosen === 0) return worker.authorize(request({ credential: { source: 'card', card: DECLINED } }));
      const sent = request({ capture: chosen > 3, amountMinor: 1_000 + (left % 7) });
      await worker.authorize(sent);
      if (chosen > 5) return undefined;
      left -= 1;
      if (chosen > 3) return worker.refund(onto(sent, 1_000));
      return chosen > 2 ? worker.cancel(onto(sent, sent.amountMinor)) : worker.capture(onto(sent, 500));
    };
    const loop = async (worker: Adapter) => {
      while (left > 0) await one(worker);
    };
    await Promise.all(workers.flatMap((worker) => Array.from({ length: 16 }, () => loop(worker))));
    const ours = (await harness.exchanges()).filter(({ _id }) => !before.has(_id));
    expect(ours.length).toBeGreaterThanOrEqual(5_000);
    expect(new Set(ours.map(({ trace }) => trace.stan)).size).toBe(ours.length);
    const keys = new Set(ours.map(({ _id }) => _id));
    const theirs = (await harness.ledger(acquirer)).filter(({ key }) => keys.has(key));
    expect(sorted(theirs.map(comparableLine))).toEqual(sorted(ours.flatMap(expectedLines)));
    expect(ours.every(({ state }) => state === 'answered')).toBe(true);
  });

  it('no card data is in the journal or in the log', async () => {
    const text = JSON.stringify(await harness.exchanges()) + harness.log.text();
    expect(text).not.toMatch(/4242424242424242|4000000000000002|"cvc":"/);
  });
});
