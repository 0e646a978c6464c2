/** Tests of codes for bank transfers: issued once per key, inquired about, closed, refunded. Only for adapters that issue codes. */
import type { CodeRequest } from '../../shared/processors/processor.js';
import { closedAddress, startPeer, startTamperingPeer } from './http-peers.js';
import { describeIf, SHORT_TIMEOUT_MS, type Suite, TIMEOUT_MS } from './suite.js';

const LIFE_MS = 15 * 60_000;

export function describeTransfers(suite: Suite): void {
  const request = (more: Partial<CodeRequest> = {}): CodeRequest => {
    const { key, amountMinor, currency, acquirer, merchant, order, traceId } = suite.make.authorize();
    const expiresAt = new Date(Date.now() + LIFE_MS);
    return { key, amountMinor, currency, acquirer, merchant, order, traceId, expiresAt, ...more };
  };
  const transfers = () => {
    const { issueCode, findTransfers } = suite.processor;
    if (!issueCode || !findTransfers) throw new Error('the adapter has only one of both operations');
    return { issueCode, findTransfers };
  };
  const inquiry = ({ key, amountMinor }: CodeRequest) =>
    suite.make.inquire(key, { operation: 'issue-code', amountMinor });

  it('has both operations for bank transfers, or neither', () =>
    expect(suite.has('findTransfers')).toBe(suite.has('issueCode')));

  describeIf(suite.has('issueCode'), 'codes for bank transfers', () => {
    it('issues one code per key, and repeats it', async () => {
      const adapter = transfers();
      const codeRequest = request();
      const first = await adapter.issueCode(codeRequest);
      expect(first).toMatchObject({ kind: 'issued', account: { reference: expect.stringMatching(/^\w{8,25}$/) } });
      expect(await adapter.issueCode(codeRequest)).toEqual(first);
      expect(await adapter.issueCode({ ...codeRequest, amountMinor: codeRequest.amountMinor + 1 })).toMatchObject({
        kind: 'unknown',
      });
      expect(await adapter.findTransfers(inquiry(codeRequest))).toEqual({ kind: 'found', transfers: [] });
      expect(await adapter.issueCode(request())).not.toEqual(first);
    });

    it('tells what arrived, also late and twice, and gives it back with a cancellation', async () => {
      const adapter = transfers();
      const pay = suite.harness.payCode;
      if (!pay) return;
      const asked = request();
      const issued = await adapter.issueCode(asked);
      if (issued.kind !== 'issued') throw new Error(issued.kind);
      for (const count of [1, 2]) {
        await pay(issued.url);
        const answer = await adapter.findTransfers(inquiry(asked));
        if (answer.kind !== 'found') throw new Error(answer.kind);
        const { amountMinor, currency } = asked;
        expect(answer.transfers).toHaveLength(count);
        expect(answer.transfers[0]).toMatchObject({ amountMinor, currency, returned: false });
        expect(Math.abs((answer.transfers[0]?.paidAt.getTime() ?? 0) - Date.now())).toBeLessThan(60_000);
        expect(new Set(answer.transfers.map(({ id }) => id)).size).toBe(count);
      }
      expect(await suite.operate('cancel', suite.make.followUp(asked.key, asked.amountMinor))).toMatchObject({
        kind: 'approved',
      });
      const after = await adapter.findTransfers(inquiry(asked));
      expect(after).toMatchObject({ transfers: [{ returned: true }, { returned: true }] });
    });

    it('refunds what was paid, never more', async () => {
      const adapter = transfers();
      const pay = suite.harness.payCode;
      if (!pay) return;
      const asked = request({ amountMinor: 1_000 });
      const issued = await adapter.issueCode(asked);
      expect(await suite.operate('refund', suite.make.followUp(asked.key, 1))).toMatchObject({ kind: 'declined' });
      if (issued.kind === 'issued') await pay(issued.url);
      expect(await suite.operate('refund', suite.make.followUp(asked.key, 600))).toMatchObject({ kind: 'approved' });
      expect(await suite.operate('refund', suite.make.followUp(asked.key, 600))).toMatchObject({ kind: 'declined' });
    });

    it('closes a code that was not paid: nothing arrives for it any more', async () => {
      const adapter = transfers();
      const pay = suite.harness.payCode;
      if (!pay) return;
      const asked = request();
      const issued = await adapter.issueCode(asked);
      expect(await suite.operate('cancel', suite.make.followUp(asked.key, asked.amountMinor))).toMatchObject({
        kind: 'approved',
      });
      if (issued.kind === 'issued') await pay(issued.url);
      expect(await adapter.findTransfers(inquiry(asked))).toMatchObject({ kind: 'found', transfers: [] });
    });

    it('knows nothing of a key that was never sent', async () => {
      expect(await transfers().findTransfers(inquiry(request()))).toEqual({ kind: 'not-found' });
    });

    it('says not-sent and no-answer where no server is, unknown and no-answer where it is silent', async () => {
      const away = suite.harness.connect(closedAddress, TIMEOUT_MS);
      suite.afterTest(() => away.close());
      expect(await away.issueCode?.(request())).toMatchObject({ kind: 'not-sent' });
      expect(await away.findTransfers?.(inquiry(request()))).toMatchObject({ kind: 'no-answer' });
      for (const body of [undefined, '', '{"result":"issued"}', '<html>']) {
        const peer = await startPeer((_request, response) => {
          if (body !== undefined) response.writeHead(200).end(body);
        });
        const adapter = suite.connectTo(peer, body === undefined ? SHORT_TIMEOUT_MS : TIMEOUT_MS);
        expect(await adapter.issueCode?.(request())).toMatchObject({ kind: 'unknown' });
        expect(await adapter.findTransfers?.(inquiry(request()))).toMatchObject({ kind: 'no-answer' });
      }
    });

    it.each(['key', 'amount', 'currency'] as const)('takes no code for another %s', async (field) => {
      const peer = await startTamperingPeer(suite.harness.address, (answer) => suite.harness.tamper(field, answer));
      const adapter = suite.connectTo(peer);
      expect(await adapter.issueCode?.(request())).toMatchObject({ kind: 'unknown' });
    });
  });
}
