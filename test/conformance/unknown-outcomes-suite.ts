/** Tests of the results that an adapter must return when the outcome is unknown, or when nothing was sent. */
import { setTimeout as sleep } from 'node:timers/promises';
import { closedAddress, startPeer, startTamperingPeer } from './http-peers.js';
import { SHORT_TIMEOUT_MS, type Suite, TIMEOUT_MS } from './suite.js';

export function describeUnknownOutcomes(suite: Suite): void {
  describe('when the processor cannot be reached', () => {
    it('says not-sent: not a byte has left', async () => {
      const adapter = suite.harness.connect(closedAddress, TIMEOUT_MS);
      suite.afterTest(() => adapter.close());
      const request = suite.make.authorize();
      expect(await adapter.authorize(request)).toMatchObject({ kind: 'not-sent' });
      for (const operation of ['capture', 'cancel', 'refund'] as const) {
        if (adapter[operation] === undefined) continue;
        expect(await adapter[operation](suite.make.followUp(request.key, 1))).toMatchObject({ kind: 'not-sent' });
      }
      expect(await adapter.inquire(suite.make.inquire(request.key))).toMatchObject({ kind: 'no-answer' });
      expect(await adapter.reverse(suite.make.reverse(request))).toMatchObject({ kind: 'no-answer' });
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
      const adapter = suite.connectTo(peer, what === 'no answer at all' ? SHORT_TIMEOUT_MS : TIMEOUT_MS);
      const request = suite.make.authorize();
      expect(await adapter.authorize(request)).toMatchObject({ kind: 'unknown' });
      if (adapter.refund) {
        // When the original is looked up first, the refund itself was not sent.
        const kind = suite.harness.looksUpFirst ? 'not-sent' : 'unknown';
        expect(await adapter.refund(suite.make.followUp(request.key, 1))).toMatchObject({ kind });
      }
      expect(await adapter.inquire(suite.make.inquire(request.key))).toMatchObject({ kind: 'no-answer' });
      expect(await adapter.reverse(suite.make.reverse(request))).toMatchObject({ kind: 'no-answer' });
    });

    it.each(['key', 'amount', 'currency'] as const)('an answer about another %s', async (field) => {
      const peer = await startTamperingPeer(suite.harness.address, (answer) => suite.harness.tamper(field, answer));
      const adapter = suite.connectTo(peer);
      const request = suite.make.authorize();
      expect(await adapter.authorize(request)).toMatchObject({ kind: 'unknown' });
      // The processor executed the operation all the same, so it must not be reported as failed.
      expect(await suite.approvedEntriesOf(request.key)).toHaveLength(1);
      expect(await adapter.reverse(suite.make.reverse(request))).toMatchObject({ kind: 'no-answer' });
      await sleep(suite.harness.inquiryLagMs);
      expect(await adapter.inquire(suite.make.inquire(request.key))).toMatchObject({ kind: 'no-answer' });
    });
  });

  it('takes no answer from a server that says that it failed, even if it fits', async () => {
    const adapter = suite.connectTo(await startTamperingPeer(suite.harness.address, (answer) => answer, 502));
    const request = suite.make.authorize();
    expect(await adapter.authorize(request)).toMatchObject({ kind: 'unknown' });
    expect(await adapter.reverse(suite.make.reverse(request))).toMatchObject({ kind: 'no-answer' });
  });

  it('never logs or returns card data', async () => {
    const silent = suite.connectTo(await startPeer(() => undefined), SHORT_TIMEOUT_MS);
    const echo = suite.connectTo(
      await startPeer((request, response) => {
        response.writeHead(200);
        request.pipe(response);
      }),
    );
    const request = suite.make.authorize();
    const results = [
      await silent.authorize(request),
      await echo.authorize(request),
      await suite.processor.authorize(request),
    ];
    const text = JSON.stringify(results) + suite.harness.logged() + JSON.stringify(await suite.harness.books());
    expect(text).not.toContain(suite.harness.cards.approved.number);
    expect(text).not.toContain(suite.harness.cards.declined.number);
  });
}
