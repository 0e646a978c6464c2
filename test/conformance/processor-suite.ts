/**
 * The conformance suite of the processor port: every adapter inherits it (docs/reliability.md). It holds the adapter to what
 * its capabilities declare, and looks into the processor's own books, never at what the adapter says about itself.
 */
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  AuthorizeRequest,
  FollowUpRequest,
  LedgerEntry,
  Processor,
  ProcessorCard,
} from '../../shared/processors/processor.js';
import { closedAddress, type Peer, startPeer, startTamperingPeer } from './http-peers.js';

export interface ProcessorHarness {
  /** Where the processor is. */
  readonly address: string;
  /** Makes the adapter for an address; the suite closes it. */
  connect(address: string, timeoutMs: number): Processor;
  readonly cards: { readonly approved: ProcessorCard; readonly declined: ProcessorCard };
  readonly currency: string;
  readonly acquirer: string;
  /** An inquiry finds an operation so long after it was made. */
  readonly inquiryLagMs: number;
  /** The processor's own books, oldest first. */
  books(): Promise<readonly LedgerEntry[]>;
  /** Changes one field of an answer of the processor (text in, text out). */
  tamper(field: 'key' | 'amount' | 'currency', answer: string): string;
  /** Everything the adapter has logged. */
  logged(): string;
  close(): Promise<void>;
}

const TIMEOUT_MS = 5_000;
const SHORT_TIMEOUT_MS = 150;

/** Requests as the core makes them, each with a key of its own. */
function requests({ cards, currency, acquirer }: ProcessorHarness) {
  const newKey = () => `txn_${randomBytes(16).toString('hex')}`;
  const base = { currency, acquirer, merchantId: 1, traceId: 'trace-conformance' };
  return {
    newKey,
    authorize: (more: Partial<AuthorizeRequest> = {}): AuthorizeRequest => ({
      ...base,
      key: newKey(),
      amountMinor: 1_000,
      card: cards.approved,
      capture: true,
      verification: false,
      ...more,
    }),
    onto: (original: string, amountMinor: number): FollowUpRequest => ({
      ...base,
      key: newKey(),
      original,
      amountMinor,
    }),
    reverse: ({ key, amountMinor }: { key: string; amountMinor: number }) => ({
      key: `${key}-reverse`,
      original: key,
      amountMinor,
      currency,
      acquirer,
      traceId: 'trace-conformance',
    }),
    inquire: (key: string) => ({ key, acquirer, traceId: 'trace-conformance' }),
  };
}

/** Declares the suite for one adapter. */
export function describeProcessor(name: string, makeHarness: () => Promise<ProcessorHarness>): void {
  describe(`${name} conforms to the processor port`, () => {
    let harness: ProcessorHarness;
    let processor: Processor;
    let make: ReturnType<typeof requests>;
    const ended: (() => Promise<void>)[] = [];

    beforeAll(async () => {
      harness = await makeHarness();
      processor = harness.connect(harness.address, TIMEOUT_MS);
      make = requests(harness);
    });
    afterEach(async () => {
      for (const end of ended.splice(0)) await end();
    });
    afterAll(async () => {
      await processor?.close();
      await harness?.close();
    });

    /** An adapter that talks to a peer of the test. */
    function connectTo(peer: Peer, timeoutMs = TIMEOUT_MS): Processor {
      const adapter = harness.connect(peer.url, timeoutMs);
      ended.push(
        () => adapter.close(),
        () => peer.close(),
      );
      return adapter;
    }

    const linesOf = async (key: string) => (await harness.books()).filter((entry) => entry.key === key);
    const approvedLinesOf = async (key: string) => (await linesOf(key)).filter(({ result }) => result === 'approved');

    async function hold(amountMinor = 1_000): Promise<AuthorizeRequest> {
      const request = make.authorize({ capture: false, amountMinor });
      expect(await processor.authorize(request)).toMatchObject({ kind: 'approved' });
      return request;
    }

    async function purchase(amountMinor = 1_000): Promise<AuthorizeRequest> {
      const request = make.authorize({ amountMinor });
      expect(await processor.authorize(request)).toMatchObject({ kind: 'approved' });
      return request;
    }

    describe('authorize', () => {
      it('approves a purchase once, for exactly what was asked', async () => {
        const request = make.authorize({ amountMinor: 1_234 });
        const result = await processor.authorize(request);
        expect(result).toMatchObject({ kind: 'approved', resultCode: expect.any(String), ticket: expect.any(String) });
        expect(await linesOf(request.key)).toMatchObject([
          { kind: 'purchase', original: null, amountMinor: 1_234, currency: harness.currency, result: 'approved' },
        ]);
      });

      it('says why a card was declined, and takes nothing', async () => {
        const request = make.authorize({ card: harness.cards.declined });
        expect(await processor.authorize(request)).toMatchObject({
          kind: 'declined',
          error: 'declined-by-acquirer',
          resultCode: expect.any(String),
        });
        expect(await approvedLinesOf(request.key)).toEqual([]);
      });

      it('verifies a card, and the hold can be cancelled', async () => {
        const request = make.authorize({ capture: false, verification: true, amountMinor: 100 });
        expect(await (processor.verify ?? processor.authorize)(request)).toMatchObject({ kind: 'approved' });
        expect(await processor.cancel(make.onto(request.key, 100))).toMatchObject({ kind: 'approved' });
      });
    });

    describe('capture', () => {
      it('captures the whole hold, once', async () => {
        const { key } = await hold(1_000);
        const capture = make.onto(key, 1_000);
        expect(await processor.capture(capture)).toMatchObject({ kind: 'approved' });
        expect(await processor.capture(make.onto(key, 1_000))).toMatchObject({ kind: 'declined' });
        expect(await approvedLinesOf(capture.key)).toMatchObject([
          { kind: 'capture', original: key, amountMinor: 1_000 },
        ]);
      });

      it('captures a part, and the rest of the hold is gone', async () => {
        const { key } = await hold(1_000);
        expect(await processor.capture(make.onto(key, 400))).toMatchObject({ kind: 'approved' });
        expect(await processor.capture(make.onto(key, 600))).toMatchObject({ kind: 'declined' });
      });

      it('refuses more than the hold, and what it does not know', async () => {
        const { key } = await hold(1_000);
        expect(await processor.capture(make.onto(key, 1_001))).toMatchObject({ kind: 'declined' });
        expect(await processor.capture(make.onto(make.newKey(), 1))).toMatchObject({ kind: 'declined' });
      });
    });

    describe('cancel', () => {
      it('releases the hold, once and for good', async () => {
        const { key } = await hold();
        expect(await processor.cancel(make.onto(key, 1_000))).toMatchObject({ kind: 'approved' });
        expect(await processor.cancel(make.onto(key, 1_000))).toMatchObject({ kind: 'declined' });
        expect(await processor.capture(make.onto(key, 1_000))).toMatchObject({ kind: 'declined' });
      });

      it('is refused after a capture', async () => {
        const { key } = await hold();
        await processor.capture(make.onto(key, 1_000));
        expect(await processor.cancel(make.onto(key, 1_000))).toMatchObject({ kind: 'declined' });
      });
    });

    describe('refund', () => {
      it('gives back parts up to what was captured, and no more', async () => {
        const { key } = await purchase(1_000);
        expect(await processor.refund(make.onto(key, 600))).toMatchObject({ kind: 'approved' });
        expect(await processor.refund(make.onto(key, 401))).toMatchObject({ kind: 'declined' });
        expect(await processor.refund(make.onto(key, 400))).toMatchObject({ kind: 'approved' });
        expect(await processor.refund(make.onto(key, 1))).toMatchObject({ kind: 'declined' });
      });

      it('counts the captured part, not the hold', async () => {
        const { key } = await hold(1_000);
        expect(await processor.refund(make.onto(key, 100))).toMatchObject({ kind: 'declined' });
        await processor.capture(make.onto(key, 300));
        expect(await processor.refund(make.onto(key, 301))).toMatchObject({ kind: 'declined' });
        expect(await processor.refund(make.onto(key, 300))).toMatchObject({ kind: 'approved' });
      });
    });

    describe('inquire', () => {
      it('finds what was approved and what was declined', async () => {
        const good = await purchase();
        const bad = make.authorize({ card: harness.cards.declined });
        await processor.authorize(bad);
        await sleep(harness.inquiryLagMs);
        expect(await processor.inquire(make.inquire(good.key))).toMatchObject({
          kind: 'found',
          outcome: { kind: 'approved' },
        });
        expect(await processor.inquire(make.inquire(bad.key))).toMatchObject({
          kind: 'found',
          outcome: { kind: 'declined', error: 'declined-by-acquirer' },
        });
      });

      it('says not-found of a key that was never sent', async () => {
        expect(await processor.inquire(make.inquire(make.newKey()))).toEqual({ kind: 'not-found' });
      });
    });

    describe('reverse', () => {
      it('takes a purchase back once, however often it is asked', async () => {
        const request = await purchase();
        expect(await processor.reverse(make.reverse(request))).toMatchObject({ kind: 'reversed' });
        expect(await processor.reverse(make.reverse(request))).toMatchObject({ kind: 'reversed' });
        const reversals = (await harness.books()).filter(
          ({ kind, original }) => kind === 'reversal' && original === request.key,
        );
        expect(reversals).toHaveLength(1);
        expect(await processor.refund(make.onto(request.key, 1))).toMatchObject({ kind: 'declined' });
      });

      it('is seen by a later inquiry: what was taken back is not approved any more', async () => {
        const request = await purchase();
        await processor.reverse(make.reverse(request));
        await sleep(harness.inquiryLagMs);
        expect(await processor.inquire(make.inquire(request.key))).toMatchObject({
          kind: 'found',
          outcome: { kind: 'failed' },
        });
      });

      it('does what its capability `tombstones` says about something that comes later', async () => {
        const request = make.authorize();
        expect(await processor.reverse(make.reverse(request))).toEqual({ kind: 'nothing-found' });
        const result = await processor.authorize(request);
        const { tombstones } = processor.capabilities;
        expect(result.kind).toBe(tombstones ? 'failed' : 'approved');
        expect(await approvedLinesOf(request.key)).toHaveLength(tombstones ? 0 : 1);
      });
    });

    it('does what its capability `dedupes` says about a key that is sent twice', async () => {
      const request = make.authorize();
      const [first, second] = await Promise.all([processor.authorize(request), processor.authorize(request)]);
      const third = await processor.authorize(request);
      const { dedupes } = processor.capabilities;
      expect(await approvedLinesOf(request.key)).toHaveLength(dedupes ? 1 : 3);
      if (dedupes) {
        expect(second).toEqual(first);
        expect(third).toEqual(first);
      }
    });

    it('lists its books since a moment, where its capability `lists` says so', async () => {
      expect(processor.listSince !== undefined).toBe(processor.capabilities.lists);
      if (processor.listSince === undefined) return;
      await purchase();
      await sleep(5);
      const since = new Date();
      const { key } = await purchase(777);
      const entries = await processor.listSince(since);
      expect(entries.map((entry) => entry.key)).toEqual([key]);
      expect(entries[0]).toMatchObject({ kind: 'purchase', amountMinor: 777, result: 'approved' });
    });

    describe('when the processor cannot be reached', () => {
      it('says not-sent: not a byte has left', async () => {
        const adapter = harness.connect(await closedAddress(), TIMEOUT_MS);
        ended.push(() => adapter.close());
        const request = make.authorize();
        expect(await adapter.authorize(request)).toMatchObject({ kind: 'not-sent' });
        expect(await adapter.capture(make.onto(request.key, 1))).toMatchObject({ kind: 'not-sent' });
        expect(await adapter.cancel(make.onto(request.key, 1))).toMatchObject({ kind: 'not-sent' });
        expect(await adapter.refund(make.onto(request.key, 1))).toMatchObject({ kind: 'not-sent' });
        expect(await adapter.inquire(make.inquire(request.key))).toMatchObject({ kind: 'no-answer' });
        expect(await adapter.reverse(make.reverse(request))).toMatchObject({ kind: 'no-answer' });
      });
    });

    describe('when it is not known what became of it', () => {
      const answers: Readonly<Record<string, Parameters<typeof startPeer>[0]>> = {
        'no answer at all': () => undefined,
        'a reset': (request) => request.socket.destroy(),
        'a reset in the middle of the answer': (request, response) => {
          response.writeHead(200, { 'content-length': 1_000 });
          response.write('{"key":', () => request.socket.destroy());
        },
        'a 500 without a body': (_request, response) => response.writeHead(500).end(),
        'a 503': (_request, response) => response.writeHead(503).end('{}'),
        'a 404 of a wrong address': (_request, response) => response.writeHead(404).end('{}'),
        'something that is not JSON': (_request, response) => response.writeHead(200).end('<html>approved</html>'),
        'an empty 200': (_request, response) => response.writeHead(200).end(),
        'JSON of another shape': (_request, response) => response.writeHead(200).end('{"result":"approved"}'),
        'an endless answer': (_request, response) => {
          response.writeHead(200);
          const more = () => response.destroyed || response.write(' '.repeat(16_384), () => setImmediate(more));
          more();
        },
      };

      it.each(Object.keys(answers))('%s: unknown, and no-answer to a question', async (what) => {
        const peer = await startPeer(answers[what] as Parameters<typeof startPeer>[0]);
        const adapter = connectTo(peer, what === 'no answer at all' ? SHORT_TIMEOUT_MS : TIMEOUT_MS);
        const request = make.authorize();
        expect(await adapter.authorize(request)).toMatchObject({ kind: 'unknown' });
        expect(await adapter.refund(make.onto(request.key, 1))).toMatchObject({ kind: 'unknown' });
        expect(await adapter.inquire(make.inquire(request.key))).toMatchObject({ kind: 'no-answer' });
        expect(await adapter.reverse(make.reverse(request))).toMatchObject({ kind: 'no-answer' });
      });

      it.each(['key', 'amount', 'currency'] as const)('an answer about another %s', async (field) => {
        const peer = await startTamperingPeer(harness.address, (answer) => harness.tamper(field, answer));
        const adapter = connectTo(peer);
        const request = make.authorize();
        expect(await adapter.authorize(request)).toMatchObject({ kind: 'unknown' });
        // It has happened there all the same: that is why it must not be called a failure.
        expect(await approvedLinesOf(request.key)).toHaveLength(1);
        expect(await adapter.reverse(make.reverse(request))).toMatchObject({ kind: 'no-answer' });
        if (field === 'key') {
          await sleep(harness.inquiryLagMs);
          expect(await adapter.inquire(make.inquire(request.key))).toMatchObject({ kind: 'no-answer' });
        }
      });
    });

    it('takes no answer from a server that says that it failed, even if it fits', async () => {
      const adapter = connectTo(await startTamperingPeer(harness.address, (answer) => answer, 502));
      const request = make.authorize();
      expect(await adapter.authorize(request)).toMatchObject({ kind: 'unknown' });
      expect(await adapter.reverse(make.reverse(request))).toMatchObject({ kind: 'no-answer' });
    });

    it('never logs or returns card data', async () => {
      const silent = connectTo(await startPeer(() => undefined), SHORT_TIMEOUT_MS);
      const echo = connectTo(
        await startPeer((request, response) => {
          response.writeHead(200);
          request.pipe(response);
        }),
      );
      const request = make.authorize();
      const results = [
        await silent.authorize(request),
        await echo.authorize(request),
        await processor.authorize(request),
      ];
      const text = JSON.stringify(results) + harness.logged() + JSON.stringify(await harness.books());
      expect(text).not.toContain(harness.cards.approved.number);
      expect(text).not.toContain(harness.cards.declined.number);
    });
  });
}
