/** Tests of each operation that an adapter has, while the processor can be reached. */
import { setTimeout as sleep } from 'node:timers/promises';
import { responseCodes } from '../../shared/domain/response-codes.js';
import type { ProcessorCard, ProcessorCredential, RefusableCredential } from '../../shared/processors/processor.js';
import { describeIf, itIf, type Suite } from './suite.js';

const networkToken = { cryptogram: 'AgAAAAAAAIR8CQrXcIhbQAAAAAA=', eci: '05' };
const clickToPay = { correlationId: 'c-1', merchantTransactionId: 'm-1', scheme: 'visa' };
/** Credentials that a processor may refuse. */
const refusableCredentials: Readonly<Record<RefusableCredential, (card: ProcessorCard) => ProcessorCredential>> = {
  'network-token': ({ cvc: _cvc, ...card }) => ({ source: 'network-token', card: { ...card, networkToken } }),
  'wallet-cryptogram': ({ cvc: _cvc, ...card }) => ({
    source: 'wallet-b-pay-token',
    card: { ...card, wallet: 'wallet-b-pay', networkToken },
  }),
  'click-to-pay': () => ({ source: 'click-to-pay-token', clickToPay }),
};

export function describeOperations(suite: Suite): void {
  describe('authorize', () => {
    it('approves a purchase once, for exactly what was asked', async () => {
      const request = suite.make.authorize({ amountMinor: 1_234 });
      const result = await suite.processor.authorize(request);
      expect(result).toMatchObject({ kind: 'approved', resultCode: expect.any(String), ticket: expect.any(String) });
      expect(await suite.entriesOf(request.key)).toMatchObject([
        { kind: 'purchase', original: null, amountMinor: 1_234, currency: suite.harness.currency, result: 'approved' },
      ]);
    });

    it('says why a card was declined, and takes nothing', async () => {
      const request = suite.make.authorize(suite.declinedCard());
      expect(await suite.processor.authorize(request)).toMatchObject({
        kind: 'declined',
        error: 'declined-by-acquirer',
        resultCode: expect.any(String),
      });
      expect(await suite.approvedEntriesOf(request.key)).toEqual([]);
    });

    it.each(Object.entries(refusableCredentials))(
      'takes %s, or says before that it does not',
      async (name, credentialOf) => {
        const request = suite.make.authorize({ credential: credentialOf(suite.harness.cards.approved) });
        const answer = await suite.processor.authorize(request);
        const { refuses = [] } = suite.processor.traits;
        if (!refuses.includes(name as RefusableCredential)) return expect(answer).toMatchObject({ kind: 'approved' });
        expect(answer).toMatchObject({ kind: 'failed', resultCode: responseCodes.notSupported });
        expect(await suite.entriesOf(request.key)).toEqual([]);
      },
    );

    it('verifies a card, and the hold can be cancelled', async () => {
      const request = suite.make.authorize({ capture: false, verification: true, amountMinor: 100 });
      expect(await (suite.processor.verify ?? suite.processor.authorize)(request)).toMatchObject({ kind: 'approved' });
      if (!suite.has('cancel')) return;
      expect(await suite.operate('cancel', suite.make.followUp(request.key, 100))).toMatchObject({ kind: 'approved' });
    });
  });

  describeIf(suite.has('capture'), 'capture', () => {
    it('captures the whole hold, once', async () => {
      const { key } = await suite.authorizeOnly(1_000);
      const capture = suite.make.followUp(key, 1_000);
      expect(await suite.operate('capture', capture)).toMatchObject({ kind: 'approved' });
      expect(await suite.operate('capture', suite.make.followUp(key, 1_000))).toMatchObject({ kind: 'declined' });
      expect(await suite.approvedEntriesOf(capture.key)).toMatchObject([
        { kind: 'capture', original: key, amountMinor: 1_000 },
      ]);
    });

    it('captures a part, and the rest of the hold is gone', async () => {
      const { key } = await suite.authorizeOnly(1_000);
      expect(await suite.operate('capture', suite.make.followUp(key, 400))).toMatchObject({ kind: 'approved' });
      expect(await suite.operate('capture', suite.make.followUp(key, 600))).toMatchObject({ kind: 'declined' });
    });

    it('refuses more than the hold, and what it does not know', async () => {
      const { key } = await suite.authorizeOnly(1_000);
      expect(await suite.operate('capture', suite.make.followUp(key, 1_001))).toMatchObject({ kind: 'declined' });
      expect(await suite.operate('capture', suite.make.followUp(suite.make.newKey(), 1))).toMatchObject({
        kind: 'declined',
      });
    });
  });

  describeIf(suite.has('cancel'), 'cancel', () => {
    it('releases the hold, once and for good', async () => {
      const { key } = await suite.authorizeOnly();
      expect(await suite.operate('cancel', suite.make.followUp(key, 1_000))).toMatchObject({ kind: 'approved' });
      expect(await suite.operate('cancel', suite.make.followUp(key, 1_000))).toMatchObject({ kind: 'declined' });
      if (!suite.has('capture')) return;
      expect(await suite.operate('capture', suite.make.followUp(key, 1_000))).toMatchObject({ kind: 'declined' });
    });

    itIf(suite.has('capture'), 'is refused after a capture', async () => {
      const { key } = await suite.authorizeOnly();
      await suite.operate('capture', suite.make.followUp(key, 1_000));
      expect(await suite.operate('cancel', suite.make.followUp(key, 1_000))).toMatchObject({ kind: 'declined' });
    });
  });

  describeIf(suite.has('refund'), 'refund', () => {
    it('gives back parts up to what was captured, and no more', async () => {
      const { key } = await suite.purchase(1_000);
      expect(await suite.operate('refund', suite.make.followUp(key, 600))).toMatchObject({ kind: 'approved' });
      expect(await suite.operate('refund', suite.make.followUp(key, 401))).toMatchObject({ kind: 'declined' });
      expect(await suite.operate('refund', suite.make.followUp(key, 400))).toMatchObject({ kind: 'approved' });
      expect(await suite.operate('refund', suite.make.followUp(key, 1))).toMatchObject({ kind: 'declined' });
    });

    itIf(suite.has('capture'), 'counts the captured part, not the hold', async () => {
      const { key } = await suite.authorizeOnly(1_000);
      expect(await suite.operate('refund', suite.make.followUp(key, 100))).toMatchObject({ kind: 'declined' });
      await suite.operate('capture', suite.make.followUp(key, 300));
      expect(await suite.operate('refund', suite.make.followUp(key, 301))).toMatchObject({ kind: 'declined' });
      expect(await suite.operate('refund', suite.make.followUp(key, 300))).toMatchObject({ kind: 'approved' });
    });
  });

  describe('inquire', () => {
    it('finds what was approved and what was declined', async () => {
      const good = await suite.purchase();
      const bad = suite.make.authorize(suite.declinedCard());
      await suite.processor.authorize(bad);
      await sleep(suite.harness.inquiryLagMs);
      expect(await suite.processor.inquire(suite.make.inquire(good.key))).toMatchObject({
        kind: 'found',
        outcome: { kind: 'approved' },
      });
      expect(await suite.processor.inquire(suite.make.inquire(bad.key))).toMatchObject({
        kind: 'found',
        outcome: { kind: 'declined', error: 'declined-by-acquirer' },
      });
    });

    it('says not-found of a key that was never sent', async () => {
      expect(await suite.processor.inquire(suite.make.inquire(suite.make.newKey()))).toEqual({ kind: 'not-found' });
    });
  });

  describe('reverse', () => {
    it('takes a purchase back once, however often it is asked', async () => {
      const request = await suite.purchase();
      expect(await suite.processor.reverse(suite.make.reverse(request))).toMatchObject({ kind: 'reversed' });
      expect(await suite.processor.reverse(suite.make.reverse(request))).toMatchObject({ kind: 'reversed' });
      const reversals = (await suite.harness.books()).filter(
        ({ kind, original }) => kind === 'reversal' && original === request.key,
      );
      expect(reversals).toHaveLength(1);
      if (!suite.has('refund')) return;
      expect(await suite.operate('refund', suite.make.followUp(request.key, 1))).toMatchObject({ kind: 'declined' });
    });

    // When the first answer is repeated, the core never inquires after a reversal.
    itIf(!suite.inquiresBySending, 'is seen by a later inquiry: it is not approved any more', async () => {
      const request = await suite.purchase();
      await suite.processor.reverse(suite.make.reverse(request));
      await sleep(suite.harness.inquiryLagMs);
      expect(await suite.processor.inquire(suite.make.inquire(request.key))).toMatchObject({
        kind: 'found',
        outcome: { kind: 'failed' },
      });
    });

    it('does what its trait `tombstones` says about something that comes later', async () => {
      const request = suite.make.authorize();
      expect(await suite.processor.reverse(suite.make.reverse(request))).toEqual({ kind: 'nothing-found' });
      const result = await suite.processor.authorize(request);
      const { tombstones } = suite.processor.traits;
      expect(result.kind).toBe(tombstones ? 'failed' : 'approved');
      expect(await suite.approvedEntriesOf(request.key)).toHaveLength(tombstones ? 0 : 1);
    });
  });

  it('does what its trait `dedupes` says about a key that is sent twice', async () => {
    const request = suite.make.authorize();
    const [first, second] = await Promise.all([suite.processor.authorize(request), suite.processor.authorize(request)]);
    const third = await suite.processor.authorize(request);
    const { dedupes } = suite.processor.traits;
    expect(await suite.approvedEntriesOf(request.key)).toHaveLength(dedupes ? 1 : 3);
    if (dedupes) {
      expect(second).toEqual(first);
      expect(third).toEqual(first);
    }
  });

  itIf(suite.has('listSince'), 'lists its books since a moment', async () => {
    await suite.purchase();
    await sleep(5);
    const since = new Date();
    const { key } = await suite.purchase(777);
    const entries = (await suite.processor.listSince?.(since)) ?? [];
    expect(entries.map((entry) => entry.key)).toEqual([key]);
    expect(entries[0]).toMatchObject({ kind: 'purchase', amountMinor: 777, result: 'approved' });
  });
}
