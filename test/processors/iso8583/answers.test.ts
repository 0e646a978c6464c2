/** The adapter on a real MongoDB, with an acquirer in this process that gives the answers that jPOS does not give. */
import { randomBytes } from 'node:crypto';
import { iso8583Limits } from '../../../config/iso8583-limits.js';
import { defined } from '../../../shared/domain/defined.js';
import { checkAnswers } from '../../../shared/processors/check-answers.js';
import type { IsoMessage } from '../../../shared/processors/iso8583/codec/message.js';
import type { createIso8583Processor } from '../../../shared/processors/iso8583/create-iso8583-processor.js';
import type { Profile } from '../../../shared/processors/iso8583/profile/profile.js';
import { builtInProfile } from '../../../shared/processors/iso8583/profile/read-profile.js';
import type { AuthorizeRequest, FollowUpRequest } from '../../../shared/processors/processor.js';
import type { IsoExchange } from '../../../shared/store/iso8583-exchange.model.js';
import { waitFor } from '../../support/patience.js';
import { authorizeRequest, followUpRequest, inquireRequest, reverseRequest } from '../port-requests.js';
import { type IsoHarness, openIsoHarness } from './iso-harness.js';
import { approve, type Behaviour, type IsoPeer, startIsoPeer } from './iso-peer.js';

type Adapter = ReturnType<typeof createIso8583Processor>;

const newKey = () => `txn_${randomBytes(16).toString('hex')}`;
const base = { acquirer: 'iso8583' };
const request = (more: Partial<AuthorizeRequest> = {}): AuthorizeRequest =>
  authorizeRequest('4242424242424242', { ...base, key: newKey(), ...more });
const onto = ({ key }: { key: string }, amountMinor: number): FollowUpRequest =>
  followUpRequest(key, { ...base, key: newKey(), amountMinor });
const inquiry = ({ key, amountMinor }: { key: string; amountMinor: number }) =>
  inquireRequest(key, { ...base, amountMinor });
const reversal = ({ key, amountMinor }: AuthorizeRequest) => reverseRequest(key, { ...base, amountMinor });

const ahead = (ms: number) => ({ clock: { now: () => new Date(Date.now() + ms) } });
/** After the time-out, but too early for "not found" to count. */
const expired = ahead(6_000);
/** After every time-out and every window. */
const later = ahead(600_000);

describe.each(['1987-ascii', '1993-ascii'] as const)('answers of an acquirer in %s', (name) => {
  const profile: Profile = builtInProfile(name);
  const codes =
    profile.version === '1993'
      ? { duplicate: '913', missing: '914', unclear: '923', partly: '002', noFunds: '116' }
      : { duplicate: '94', missing: '25', unclear: '09', partly: '10', noFunds: '51' };
  let harness: IsoHarness;
  let peer: IsoPeer;
  let adapter: Adapter;
  const opened: Adapter[] = [];

  /** The time-out of the harness. */
  const TIMEOUT_MS = 5_000;
  function open(more: Parameters<IsoHarness['connect']>[1] = {}): Adapter {
    const one = harness.connect(peer.port, more);
    opened.push(one);
    return one;
  }

  /** Answers by the last three digits of the message type, such as `421` for `0421`. Messages without an entry are approved. */
  const answering = (answers: Readonly<Record<string, Behaviour>>) =>
    peer.behave((message, socket) => {
      const own = answers[message.mti.slice(1)];
      return own ? own(message, socket) : approve(message);
    });
  const with39 =
    (code: string): Behaviour =>
    (message) =>
      approve(message, { 39: code });
  /** The message is received, and the connection ends without an answer. */
  const lost: Behaviour = (_message, socket) => void socket.destroy();

  const sent = (mti: string) => peer.received.filter((message) => message.mti.slice(1) === mti);

  beforeAll(async () => {
    harness = await openIsoHarness('iso8583-answers', profile);
  });
  beforeEach(async () => {
    peer = await startIsoPeer(profile);
    adapter = open();
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await peer.close();
  });
  afterAll(() => harness.close());

  describe('the answer "seen before"', () => {
    it('confirms a repeated capture or cancellation', async () => {
      for (const [kind, mti] of [
        ['capture', '220'],
        ['cancel', '420'],
      ] as const) {
        const hold = request({ capture: false });
        await adapter.authorize(hold);
        answering({ [mti]: lost, [`${mti.slice(0, 2)}1`]: with39(codes.duplicate) });
        const advice = onto(hold, 1_000);
        expect(await adapter[kind](advice)).toMatchObject({ kind: 'unknown' });
        const found = { kind: 'found', outcome: { kind: 'approved', resultCode: codes.duplicate } };
        expect(await open(later).inquire(inquiry(advice))).toMatchObject(found);
      }
    });

    it('confirms a repeated reversal: nothing is authorized any more', async () => {
      answering({ 200: lost, 420: lost, 421: with39(codes.duplicate) });
      const bought = request();
      expect(await adapter.authorize(bought)).toMatchObject({ kind: 'unknown' });
      const late = open(later);
      expect(await late.inquire(inquiry(bought))).toMatchObject({ kind: 'no-answer' });
      expect(await late.inquire(inquiry(bought))).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
      expect(await late.reverse(reversal(bought))).toMatchObject({ kind: 'reversed' });
    });

    it('to a repetition does not replace an earlier answer', async () => {
      const { unclear, missing } = codes;
      const hold = request({ capture: false });
      await adapter.authorize(hold);
      answering({ 220: with39(unclear), 221: with39(codes.duplicate) });
      const capture = onto(hold, 1_000);
      expect(await adapter.capture(capture)).toMatchObject({ kind: 'unknown' });
      const late = open(later);
      for (let tries = 0; tries < 2; tries += 1) {
        expect(await late.inquire(inquiry(capture))).toMatchObject({ kind: 'no-answer' });
      }
      answering({ 200: lost, 420: with39(missing), 421: with39(codes.duplicate) });
      const bought = request();
      expect(await adapter.authorize(bought)).toMatchObject({ kind: 'unknown' });
      const hasty = open(expired);
      for (let tries = 0; tries < 3; tries += 1) {
        expect(await hasty.inquire(inquiry(bought))).toMatchObject({ knowsOutcomeAt: expect.any(Date) });
      }
      expect(await late.inquire(inquiry(bought))).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
      expect(sent('421')).toHaveLength(3);
    });

    it('to a first message is unknown', async () => {
      const hold = request({ capture: false });
      await adapter.authorize(hold);
      answering(Object.fromEntries(['200', '220', '420'].map((mti) => [mti, with39(codes.duplicate)])));
      expect(await adapter.authorize(request())).toMatchObject({ kind: 'unknown' });
      expect(await adapter.capture(onto(hold, 1_000))).toMatchObject({ kind: 'unknown' });
      expect(await adapter.reverse(reversal(hold))).toMatchObject({ kind: 'no-answer' });
    });
  });

  it('a capture tells whether it has the approved amount, also when it is repeated', async () => {
    const functionCodes = profile.version === '1993' ? ['201', '202', '202', '201'] : Array(4).fill(undefined);
    const hold = request({ capture: false });
    await adapter.authorize(hold);
    await adapter.capture(onto(hold, 1_000));
    answering({ 220: lost });
    const less = onto(hold, 999);
    await adapter.capture(less);
    await open(later).inquire(inquiry(less));
    const part = request({ capture: false, money: { partialApprovalAllowed: true } });
    answering({ 100: (message) => approve(message, { 4: '000000000400', 39: codes.partly }) });
    await adapter.authorize(part);
    await adapter.capture(onto(part, 400));
    const captures = [...sent('220'), ...sent('221')].sort((a, b) => Number(a.fields[11]) - Number(b.fields[11]));
    expect(captures.map(({ mti, fields }) => [mti.slice(1), fields[24]])).toEqual(
      ['220', '220', '221', '220'].map((mti, index) => [mti, functionCodes[index]]),
    );
  });

  it('references of the acquirer that do not fill their fields come back to it as they were', async () => {
    const references = { 37: 'ACQ1        ', 38: ' 12345' };
    const named: Behaviour = (message) => approve(message, references);
    answering({ 100: named, 200: named });
    const hold = request({ capture: false });
    expect(await adapter.authorize(hold)).toMatchObject({
      kind: 'approved',
      retrievalReference: 'ACQ1',
      ticket: 'ACQ1',
      authorization: '12345',
    });
    expect(await adapter.capture(onto(hold, 1_000))).toMatchObject({ kind: 'approved' });
    const bought = request();
    await adapter.authorize(bought);
    expect(await adapter.refund(onto(bought, 400))).toMatchObject({ kind: 'approved' });
    expect(await adapter.reverse(reversal(bought))).toMatchObject({ kind: 'reversed' });
    for (const message of [...sent('220'), ...sent('200').slice(1), ...sent('420')]) {
      expect(message).toMatchObject({ fields: references });
    }
    expect(peer.received.slice(-3).map(({ mti }) => mti.slice(1))).toEqual(['200', '200', '420']);
  });

  it('an outcome that will be known soon is inquired about at that time, not on the schedule', async () => {
    answering({ 200: lost, 420: with39(codes.missing) });
    const bought = request();
    await adapter.authorize(bought);
    const { trace } = (await harness.exchanges()).find(({ _id }) => _id === bought.key) as IsoExchange;
    for (const waitMs of [TIMEOUT_MS, TIMEOUT_MS + iso8583Limits.settlesMs]) {
      const now = new Date(trace.at.getTime() + waitMs - 1);
      const knowsOutcomeAt = new Date(now.getTime() + iso8583Limits.tellsAheadMsMin);
      expect(await open({ clock: { now: () => now } }).inquire(inquiry(bought))).toMatchObject({ knowsOutcomeAt });
    }
  });

  describe('declines', () => {
    const refused = (more: Readonly<Record<string, string>>) => ({
      200: ((message) => approve(message, { 39: codes.noFunds, ...more })) as Behaviour,
    });

    it.each([
      ['no amount', { 4: '000000000000' }],
      ['neither amount nor currency', { 4: '000000000000', 49: '000' }],
    ])('a decline that names %s is accepted', async (_what, more) => {
      answering(refused(more));
      const bought = request();
      const checked = checkAnswers(adapter, harness.log);
      const declined = { kind: 'declined', declineCode: 'insufficient_funds' };
      expect(await checked.authorize(bought)).toMatchObject(declined);
      expect(await checked.inquire(inquiry(bought))).toMatchObject({ kind: 'found', outcome: declined });
    });

    it.each([{ 4: '000000009999' }, { 49: '978' }])(
      'a decline about another amount or currency is unknown: %j',
      async (more) => {
        answering(refused(more));
        expect(await adapter.authorize(request())).toMatchObject({ kind: 'unknown' });
      },
    );

    it('an approval of the amount zero is unknown, not a decline', async () => {
      answering({ 200: (message) => approve(message, { 4: '000000000000' }) });
      expect(await adapter.authorize(request())).toMatchObject({ kind: 'unknown' });
    });
  });

  it.each([true, undefined] as const)(
    '"for a part" with the whole amount is an approval (parts allowed: %s)',
    async (allowed) => {
      answering({ 200: with39(codes.partly) });
      const bought = request({ money: defined({ partialApprovalAllowed: allowed }) });
      const checked = checkAnswers(adapter, harness.log);
      const approved = { kind: 'approved', resultCode: codes.partly, resultMessage: 'Approved' };
      const outcome = await checked.authorize(bought);
      expect(outcome).toMatchObject(approved);
      expect(outcome).not.toHaveProperty('approvedMinor');
      expect(await checked.inquire(inquiry(bought))).toMatchObject({ kind: 'found', outcome: approved });
    },
  );

  it.each([true, undefined] as const)(
    '"for a part" for another card is unknown, and is reversed (parts allowed: %s)',
    async (allowed) => {
      answering({ 200: (message) => approve(message, { 2: '4000000000000002', 4: '000000000400', 39: codes.partly }) });
      const bought = request({ money: defined({ partialApprovalAllowed: allowed }) });
      expect(await adapter.authorize(bought)).toMatchObject({
        kind: 'unknown',
        internal: 'the answer has another card',
      });
      expect(await open(later).inquire(inquiry(bought))).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
      expect(sent('420')).toMatchObject([{ fields: { 4: '000000001000' } }]);
    },
  );

  it.each([
    ['more than the amount', { 4: '000000001001' }],
    ['nothing', { 4: '000000000000' }],
    ['another currency', { 4: '000000000400', 49: '978' }],
  ])('"for a part" with %s is unknown', async (_what, more) => {
    answering({ 200: (message) => approve(message, { 39: codes.partly, ...more }) });
    const outcome = await adapter.authorize(request({ money: { partialApprovalAllowed: true } }));
    expect(outcome).toEqual({ kind: 'unknown', internal: 'the approved part does not fit' });
  });

  it('a capture that is approved for a part is unknown and repeated: an advice is never reversed', async () => {
    const hold = request({ capture: false });
    await adapter.authorize(hold);
    const partly: Behaviour = (message) => approve(message, { 4: '000000000400', 39: codes.partly });
    answering({ 220: partly, 221: partly });
    const capture = onto(hold, 1_000);
    expect(await adapter.capture(capture)).toMatchObject({ kind: 'unknown' });
    const late = open(later);
    expect(await late.inquire(inquiry(capture))).toMatchObject({ kind: 'no-answer' });
    answering({});
    expect(await late.inquire(inquiry(capture))).toMatchObject({ kind: 'found', outcome: { kind: 'approved' } });
    expect(sent('221')).toHaveLength(2);
    expect(sent('420')).toEqual([]);
  });

  it('a capture whose reversal has begun is reversed until there is an answer, and not sent again', async () => {
    const hold = request({ capture: false });
    await adapter.authorize(hold);
    answering({ 220: lost, 420: lost });
    const capture = onto(hold, 1_000);
    expect(await adapter.capture(capture)).toMatchObject({ kind: 'unknown' });
    const late = open(later);
    expect(await late.reverse(reverseRequest(capture.key, { ...base, amountMinor: 1_000 }))).toMatchObject({
      kind: 'no-answer',
    });
    expect(await late.inquire(inquiry(capture))).toMatchObject({ kind: 'found', outcome: { kind: 'failed' } });
    expect([sent('421').length, sent('221').length]).toEqual([1, 0]);
  });

  describe('approvals that do not count', () => {
    const references = { 37: 'ACQ000000001', 38: 'A00001' };
    const partly: Behaviour = (message) => approve(message, { ...references, 4: '000000000400', 39: codes.partly });

    it('a partial approval is reversed with the references of the acquirer and the amount of the part', async () => {
      answering({ 200: partly, 420: lost });
      const bought = request();
      expect(await adapter.authorize(bought)).toMatchObject({ kind: 'unknown' });
      const declined = { kind: 'declined', resultCode: codes.partly, declineCode: 'insufficient_funds' };
      expect(await open(later).inquire(inquiry(bought))).toMatchObject({ kind: 'found', outcome: declined });
      for (const mti of ['420', '421']) {
        expect(sent(mti)).toMatchObject([{ fields: { ...references, 4: '000000000400' } }]);
      }
    });

    it.each<[string, Behaviour]>([
      ['of a part', partly],
      ['of another amount', (message) => approve(message, { 4: '000000009999' })],
      ['in another currency', (message) => approve(message, { 49: '978' })],
    ])('an approval %s stays open when the acquirer does not know it in the reversal', async (_what, behaviour) => {
      answering({ 200: behaviour, 420: with39(codes.missing), 421: with39(codes.missing) });
      const bought = request();
      expect(await adapter.authorize(bought)).toMatchObject({ kind: 'unknown' });
      const late = open(later);
      for (let tries = 0; tries < 2; tries += 1) {
        expect(await late.inquire(inquiry(bought))).toMatchObject({ kind: 'no-answer' });
      }
      expect(await late.reverse(reversal(bought))).toMatchObject({
        kind: 'no-answer',
        internal: `the acquirer approved it and answers its reversal with ${codes.missing}, not known`,
      });
      answering({});
      expect(await late.reverse(reversal(bought))).toMatchObject({ kind: 'reversed' });
    });

    it('a late approval decides nothing, and stays open when the acquirer does not know it in the reversal', async () => {
      const held: IsoMessage[] = [];
      answering({ 200: (message) => void held.push(message), 420: with39(codes.missing), 421: with39(codes.missing) });
      const bought = request();
      const hasty = open({ timeoutMs: 1_000 });
      expect(await hasty.authorize(bought)).toMatchObject({ kind: 'unknown' });
      for (const message of held) peer.send(approve(message));
      const exchange = async () => (await harness.exchanges()).find(({ _id }) => _id === bought.key);
      await waitFor(exchange, (known) => known?.heard?.approves === true);
      expect(await exchange()).toMatchObject({ state: 'sent' });
      expect(await open(later).reverse(reversal(bought))).toMatchObject({
        kind: 'no-answer',
        internal: `the acquirer approved it and answers its reversal with ${codes.missing}, not known`,
      });
    });

    it('a partial approval whose reversal cannot be written is unknown, not declined', async () => {
      const fields = new Map(profile.fields);
      fields.delete(profile.version === '1993' ? 56 : 90);
      answering({ 200: partly });
      expect(await open({ profile: { ...profile, fields } }).authorize(request())).toMatchObject({ kind: 'unknown' });
    });

    it('an approval that is reversed later stays open when the acquirer does not know it', async () => {
      const bought = request();
      expect(await adapter.authorize(bought)).toMatchObject({ kind: 'approved' });
      answering({ 420: with39(codes.missing) });
      expect(await open(later).reverse(reversal(bought))).toMatchObject({ kind: 'no-answer' });
    });
  });
});
