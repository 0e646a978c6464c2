/** Notifications: whom they are believed, and what they say in the words of the port. */
import type { AdyenNotification } from '../../../shared/processors/adyen/notification.js';
import { createAdyenUpdateReader } from '../../../shared/processors/adyen/read-adyen-update.js';
import type { RawUpdate } from '../../../shared/processors/updates.js';
import { account, notificationBody } from '../../support/adyen/server.js';

const KEY = `txn_${'a'.repeat(32)}`;
const PSP = 'QFQTPCQ8HXSKGK82';
const ORIGINAL = '9913140798220028';

const item = (eventCode: string, more: Partial<AdyenNotification> = {}): AdyenNotification => ({
  eventCode,
  success: 'true',
  pspReference: PSP,
  originalReference: ORIGINAL,
  merchantReference: KEY,
  merchantAccountCode: account.merchantAccount,
  amount: { currency: 'USD', value: 1_000 },
  eventDate: '2026-11-23T01:00:00+01:00',
  additionalData: {},
  ...more,
});

const raw = (body: string, more: Partial<RawUpdate> = {}): RawUpdate => ({
  body: Buffer.from(body),
  headers: {},
  now: new Date(),
  ...more,
});

const reader = createAdyenUpdateReader({ hmacKeys: account.hmacKey });
const read = (...items: readonly AdyenNotification[]) => reader.read(raw(notificationBody(items)));
const unverified = { kind: 'unverified', internal: expect.any(String) };

test('are acknowledged as the maker wants it', () => expect(reader.acknowledgement).toBe('[accepted]'));

describe('are believed', () => {
  const ones = [item('REPORT_AVAILABLE', { pspReference: 'report_1.csv', merchantReference: '' })];

  test('where each item is signed with the key, or with the one before it', () => {
    const both = createAdyenUpdateReader({ hmacKeys: `${'b2'.repeat(32)},${account.hmacKey}` });
    for (const known of [reader, both]) {
      expect(known.read(raw(notificationBody(ones)))).toEqual({ kind: 'verified', updates: [] });
    }
  });

  test.each<[string, string]>([
    ['another key', notificationBody(ones, 'b2'.repeat(32))],
    ['no signature', JSON.stringify({ notificationItems: [{ NotificationRequestItem: item('CAPTURE') }] })],
    ['a signature of another amount', notificationBody([item('CAPTURE')]).replace('"value":1000', '"value":1001')],
    ['a signature of another event', notificationBody([item('CAPTURE_FAILED')]).replace('CAPTURE_FAILED', 'CAPTURE')],
    ['another outcome', notificationBody([item('CAPTURE')]).replace('"success":"true"', '"success":"false"')],
    ['a signature that is none', notificationBody(ones).replace(/"hmacSignature":"[^"]+"/, '"hmacSignature":"aGk="')],
    ['no JSON', '{'],
    ['something else', '{"notificationItems":[]}'],
    ['too many', notificationBody(Array.from({ length: 101 }, () => item('CAPTURE')))],
    ['no amount', notificationBody([item('CAPTURE')]).replace(/"amount":\{[^}]+\},/, '')],
  ])('not: %s', (_what, body) => expect(reader.read(raw(body))).toEqual(unverified));

  test('not: one item of several that is not signed', () => {
    const other = JSON.parse(notificationBody([item('REFUND')], 'b2'.repeat(32)));
    const both = JSON.parse(notificationBody([item('CAPTURE')]));
    both.notificationItems.push(...other.notificationItems);
    expect(reader.read(raw(JSON.stringify(both)))).toEqual(unverified);
  });

  test('not without a key, and at a merchant’s address by its own key and account only', () => {
    expect(createAdyenUpdateReader({}).read(raw(notificationBody(ones)))).toEqual(unverified);
    const own = (credentials: Record<string, string>, key: string = account.hmacKey) =>
      reader.read(raw(notificationBody([item('CAPTURE')], key), { credentials }));
    expect(own(account)).toMatchObject({ kind: 'verified' });
    expect(own({ ...account, hmacKey: 'c3'.repeat(32) })).toEqual(unverified);
    expect(own({ ...account, hmacKey: 'c3'.repeat(32) }, 'c3'.repeat(32))).toMatchObject({ kind: 'verified' });
    expect(own({ ...account, merchantAccount: 'AnotherECOM' })).toEqual(unverified);
  });

  describe('by keys that are none', () => {
    /** What Node makes of a text that does not begin with hexadecimal digits: a key that all know. */
    const forged = notificationBody(ones, '');
    const key = account.hmacKey;
    const texts = ['', ',', ' ', 'none', `"${key}"`, `0x${key}`, `'${key}',${key}`, key.slice(0, -1), 'ab'];

    test.each(texts)('a signature under no key is not believed: %s', (hmacKey) => {
      for (const readsBy of [{ credentials: { ...account, hmacKey } }, {}]) {
        expect(createAdyenUpdateReader({ hmacKeys: hmacKey }).read(raw(forged, readsBy))).toEqual(unverified);
      }
    });

    test('and blanks around one that is do not matter', () => {
      const credentials = { ...account, hmacKey: ` ${'b2'.repeat(32)}, ${key}\n` };
      expect(reader.read(raw(forged, { credentials }))).toEqual(unverified);
      expect(reader.read(raw(notificationBody([item('CAPTURE')]), { credentials }))).toMatchObject({
        kind: 'verified',
      });
    });
  });

  test('with basic authentication where it is set', () => {
    const guarded = createAdyenUpdateReader({ hmacKeys: account.hmacKey, user: 'adyen', password: 'secret' });
    const body = notificationBody(ones);
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    expect(guarded.read(raw(body, { headers: basic('adyen:secret') }))).toMatchObject({ kind: 'verified' });
    for (const headers of [{}, basic('adyen:other'), basic('x'), { authorization: 'Bearer secret' }]) {
      expect(guarded.read(raw(body, { headers }))).toEqual(unverified);
    }
  });

  test('with a separator in a value, escaped or not', () => {
    const colon = item('REPORT_AVAILABLE', { merchantReference: 'order:1\\2' });
    expect(read(colon)).toMatchObject({ kind: 'verified' });
  });
});

describe('say', () => {
  const at = new Date('2026-11-23T00:00:00Z');
  const updateOf = (...args: Parameters<typeof item>) => {
    const answer = read(item(...args)) as { updates: readonly unknown[] };
    expect(answer.updates).toHaveLength(1);
    return answer.updates[0];
  };

  test('what became of a payment, under our key', () => {
    const additionalData = { authCode: '033899', networkTxReference: '016153570198200' };
    expect(updateOf('AUTHORISATION', { additionalData })).toMatchObject({
      kind: 'outcome',
      eventId: `AUTHORISATION:${PSP}:true`,
      at,
      key: KEY,
      processorReference: PSP,
      outcome: {
        kind: 'approved',
        authorization: '033899',
        networkTransactionId: '016153570198200',
        about: { amountMinor: 1_000, currency: 'USD' },
      },
    });
    expect(updateOf('AUTHORISATION', { success: 'false', reason: 'Refused' })).toMatchObject({
      eventId: `AUTHORISATION:${PSP}:false`,
      outcome: { kind: 'declined', resultMessage: 'Refused' },
    });
  });

  test('why a payment was refused, which a notification names in words', () => {
    const declined = (reason: string, additionalData = {}) =>
      updateOf('AUTHORISATION', { success: 'false', reason, additionalData });
    const raw = { refusalReasonRaw: '51 : Insufficient funds', merchantAdviceCode: '03: Do not try again' };
    expect(declined('Not enough balance', raw)).toMatchObject({
      outcome: {
        ...{ kind: 'declined', error: 'declined-by-acquirer', resultCode: '51', resultMessage: 'Not enough balance' },
        ...{ declineCode: 'insufficient_funds', networkDeclineCode: '51', networkAdviceCode: '03' },
        advice: 'do-not-retry',
      },
    });
    expect(declined('FRAUD-CANCELLED')).toMatchObject({ outcome: { declineCode: 'fraudulent' } });
    expect(declined('Expired Card')).toMatchObject({ outcome: { resultCode: '54', advice: 'update-credentials' } });
    for (const reason of ['Authentication required', 'RReq not received from DS', '3DS Authentication Error']) {
      expect(declined(reason)).toMatchObject({ outcome: { error: 'authentication-required' } });
    }
    for (const reason of ['Transaction blocked by Adyen to prevent excessive retry fees', 'Token Revoked']) {
      expect(declined(reason)).toMatchObject({ outcome: { advice: 'do-not-retry' } });
    }
    expect(declined('Something new', { refusalReasonCode: '12' })).toMatchObject({ outcome: { resultCode: '51' } });
    expect(declined('Something new')).toMatchObject({ outcome: { resultCode: '05', declineCode: 'generic_decline' } });
  });

  test.each([
    ['less than the amount', '400', 'USD', { approvedMinor: 400, about: { amountMinor: 1_000, currency: 'USD' } }],
    // As an earlier release can read it too: there an approved part is always less than the whole.
    ['as much', '1000', 'USD', { about: { amountMinor: 1_000, currency: 'USD' }, mayBePart: true }],
    ['in another currency', '400', 'EUR', { about: { amountMinor: 1_000, currency: 'USD' } }],
    ['more', '1100', 'USD', { about: { amountMinor: 1_000, currency: 'USD' } }],
    // It is not believed then.
    ['nothing that is an amount', 'x', 'USD', { approvedMinor: -1, about: { amountMinor: 1_000, currency: 'USD' } }],
  ])('how much was authorised: %s', (_what, authorisedAmountValue, authorisedAmountCurrency, expected) => {
    const additionalData = { authorisedAmountValue, authorisedAmountCurrency };
    const { outcome, mayBePart } = updateOf('AUTHORISATION', { additionalData }) as {
      outcome: Record<string, unknown>;
      mayBePart?: true;
    };
    expect({ about: outcome['about'], approvedMinor: outcome['approvedMinor'], mayBePart }).toEqual({
      approvedMinor: undefined,
      ...expected,
    });
  });

  test.each([
    ['CAPTURE', 'capture', 1_000],
    ['REFUND', 'refund', 1_000],
    // It is that of the payment, of which a part may have been approved.
    ['CANCELLATION', 'cancel', undefined],
  ])('what became of a modification: %s', (event, kind, amountMinor) => {
    const merchantReference = `${KEY}-${kind}`;
    const update = updateOf(event, { merchantReference });
    expect(update).toMatchObject({
      kind: 'outcome',
      key: KEY,
      processorReference: PSP,
      outcome: { kind: 'approved', about: { currency: 'USD' } },
    });
    expect((update as { outcome: { about: object } }).outcome.about).toEqual(
      amountMinor === undefined ? { currency: 'USD' } : { amountMinor, currency: 'USD' },
    );
    const refused = updateOf(event, { merchantReference, success: 'false', reason: 'Insufficient balance' });
    expect(refused).toMatchObject({
      outcome: { kind: 'declined', resultCode: '12', resultMessage: 'Insufficient balance' },
    });
    // The gateway asked for it: a person hears where its payment is not known.
    expect(refused).not.toHaveProperty('mayBeForeign');
  });

  test.each(['CAPTURE', 'REFUND', 'CANCELLATION'])('nothing of the payment itself: %s under its reference', (event) => {
    const update = updateOf(event, { success: 'false' });
    // A person at Adyen who asked for it sees there that it was refused.
    expect(update).toMatchObject({ processorReference: PSP, mayBeForeign: true });
    expect(update).not.toHaveProperty('key');
    expect(updateOf(event)).not.toHaveProperty('mayBeForeign');
    // Adyen captures a purchase by itself; a capture of ours is found by the name of it first.
    expect((update as { purchase?: string }).purchase).toBe(event === 'CAPTURE' ? KEY : undefined);
  });

  test.each([
    ['CAPTURE', {}, { kind: 'capture', amountMinor: 1_000, currency: 'USD' }],
    ['REFUND', {}, { kind: 'refund', amountMinor: 1_000, currency: 'USD' }],
    ['CANCELLATION', {}, { kind: 'cancellation' }],
    ['CANCEL_OR_REFUND', { additionalData: { 'modification.action': 'refund' } }, { kind: 'refund' }],
    ['CANCEL_OR_REFUND', {}, undefined],
    ['CAPTURE', { success: 'false' }, undefined],
    ['CAPTURE', { merchantReference: `${KEY}-capture` }, undefined],
    ['CANCELLATION', { merchantReference: `${KEY}-reverse` }, undefined],
    [
      'CANCEL_OR_REFUND',
      { merchantReference: `${KEY}-reverse`, additionalData: { 'modification.action': 'cancel' } },
      undefined,
    ],
  ] as const)('what was done in the Customer Area: %s %j', (event, more, done) => {
    const said = (updateOf(event, more as never) as { done?: object }).done;
    if (done) expect(said).toMatchObject({ ...done, of: KEY, processorReference: PSP });
    else expect(said).toBeUndefined();
  });

  test('a reversal made in the Customer Area takes back what is left: its amount is that of the payment', () => {
    const additionalData = { 'modification.action': 'refund' };
    const { done } = updateOf('CANCEL_OR_REFUND', { additionalData }) as { done: object };
    expect(done).toEqual({ kind: 'refund', of: KEY, processorReference: PSP, currency: 'USD' });
  });

  test('that a hold ran out, by our reference of it', () => {
    const { originalReference: _none, ...expire } = item('EXPIRE');
    const { updates } = read(expire) as { updates: readonly object[] };
    expect(updates).toEqual([
      {
        kind: 'outcome',
        eventId: `EXPIRE:${PSP}:true`,
        at,
        key: `${KEY}-expire`,
        done: { kind: 'cancellation', of: KEY, ranOut: true },
        outcome: expect.objectContaining({ kind: 'approved' }),
      },
    ]);
  });

  test('a capture that Adyen makes again by itself is something done there, and no double of the first', () => {
    const merchantReference = `${KEY}-capture`;
    const first = updateOf('CAPTURE', { merchantReference });
    const again = updateOf('CAPTURE', { merchantReference, reason: 'Transaction Recaptured' });
    expect(again).toMatchObject({
      eventId: `${(first as { eventId: string }).eventId}:again`,
      processorReference: PSP,
      done: { kind: 'capture', of: ORIGINAL, processorReference: PSP, amountMinor: 1_000, currency: 'USD' },
      outcome: { kind: 'approved' },
    });
    expect(again).not.toHaveProperty('key');
    const refused = { merchantReference, reason: 'Transaction Recaptured', success: 'false' };
    expect(updateOf('CAPTURE', refused as never)).toMatchObject({ key: KEY, outcome: { kind: 'declined' } });
  });

  test('the capture of a purchase that Adyen makes again is that of the purchase, and no further one', () => {
    const of = updateOf('CAPTURE', { merchantReference: KEY, reason: 'Transaction Recaptured' });
    expect(of).toMatchObject({ purchase: KEY, done: { kind: 'capture', of: KEY }, outcome: { kind: 'approved' } });
  });

  test.each([
    ['TECHNICAL_CANCEL', KEY],
    ['CANCEL_OR_REFUND', KEY],
    ['CANCEL_OR_REFUND', `${KEY}-reverse`],
    ['CANCELLATION', `${KEY}-reverse`],
  ])('what became of a reversal: %s of %s', (event, merchantReference) => {
    const update = updateOf(event, { merchantReference });
    expect(update).toMatchObject({
      kind: 'outcome',
      key: `${KEY}-reverse`,
      original: KEY,
      outcome: { kind: 'approved' },
    });
    expect(update).not.toHaveProperty('outcome.about');
    // What was closed by our reference of it says nothing of a request by Adyen's.
    if (event === 'TECHNICAL_CANCEL') expect(update).not.toHaveProperty('originalReference');
    else expect(update).toHaveProperty('originalReference', ORIGINAL);
  });

  test.each(['TECHNICAL_CANCEL', 'CANCELLATION'])('nothing of what closed a refused payment: %s', (event) => {
    const merchantReference = `${KEY}-close`;
    const items = ['true', 'false'].map((success) => item(event, { merchantReference, success } as never));
    expect(read(...items)).toEqual({ kind: 'verified', updates: [] });
  });

  test.each(['REFUND_FAILED', 'REFUNDED_REVERSED'])('that a refund failed later: %s', (event) => {
    expect(updateOf(event, { merchantReference: `${KEY}-refund`, reason: 'Refund Failed' })).toMatchObject({
      kind: 'refund-failed',
      key: KEY,
      processorReference: PSP,
      about: { amountMinor: 1_000, currency: 'USD' },
      resultMessage: 'Refund Failed',
    });
  });

  test('that the refund of a reversal failed later', () => {
    const merchantReference = `${KEY}-reverse`;
    expect(updateOf('REFUND_FAILED', { merchantReference })).toMatchObject({
      kind: 'refund-failed',
      key: merchantReference,
      about: { amountMinor: 1_000, currency: 'USD' },
    });
  });

  test.each([
    [`${KEY}-capture`, 'its capture', { key: KEY }],
    // Of a capture made in the Customer Area, by its own name, or of a purchase, which Adyen captures by itself.
    [KEY, 'no operation of ours', { purchase: KEY, mayBeForeign: true }],
  ])('that a capture was rejected later: of %s, %s', (merchantReference, _what, names) => {
    const update = updateOf('CAPTURE_FAILED', { merchantReference, reason: 'Capture Failed' });
    expect(update).toMatchObject({
      kind: 'outcome',
      ...names,
      processorReference: PSP,
      outcome: { kind: 'declined', resultMessage: 'Capture Failed' },
    });
    expect(Object.hasOwn(update as object, 'key')).toBe('key' in names);
  });

  test('that a capture was rejected once more, by the same names at another time', () => {
    const ids = ['2026-11-23T01:00:00+01:00', '2026-11-29T01:00:00+01:00', 'no time'].map((eventDate) => {
      const update = updateOf('CAPTURE_FAILED', { merchantReference: `${KEY}-capture`, eventDate });
      return (update as { eventId: string }).eventId;
    });
    expect(ids).toEqual([
      `CAPTURE_FAILED:${PSP}:true:2026-11-23T00:00:00.000Z`,
      `CAPTURE_FAILED:${PSP}:true:2026-11-29T00:00:00.000Z`,
      `CAPTURE_FAILED:${PSP}:true:`,
    ]);
  });

  test.each([
    ['REQUEST_FOR_INFORMATION', 'inquiry'],
    ['NOTIFICATION_OF_CHARGEBACK', 'inquiry'],
    ['CHARGEBACK', 'open'],
    ['INFORMATION_SUPPLIED', 'under-review'],
    ['CHARGEBACK_REVERSED', 'won'],
    ['SECOND_CHARGEBACK', 'lost'],
    ['DISPUTE_DEFENSE_PERIOD_ENDED', 'lost'],
    ['ISSUER_RESPONSE_TIMEFRAME_EXPIRED', 'won'],
    ['PREARBITRATION_OPEN', 'open'],
    ['PREARBITRATION_WON', 'won'],
    ['PREARBITRATION_LOST', 'lost'],
    ['SCHEME_ARBITRATION_WON', 'won'],
    ['SCHEME_ARBITRATION_LOST', 'lost'],
  ])('that the payer disputes the payment: %s', (event, status) => {
    const additionalData = { chargebackReasonCode: ' 4853', defensePeriodEndsAt: '2027-01-31T03:03:07+02:00' };
    expect(updateOf(event, { additionalData, reason: 'Not received' })).toEqual({
      kind: 'dispute',
      eventId: `${event}:${PSP}:true`,
      at,
      key: KEY,
      processorReference: ORIGINAL,
      disputeId: PSP,
      status,
      amountMinor: 1_000,
      currency: 'USD',
      reason: 'Not received',
      networkReasonCode: '4853',
      respondBy: new Date('2027-01-31T01:03:07Z'),
    });
  });

  test('amounts as we count them', () => {
    const amount = { currency: 'CLP', value: 100_000 };
    expect(updateOf('AUTHORISATION', { amount })).toMatchObject({
      outcome: { about: { amountMinor: 1_000, currency: 'CLP' } },
    });
    expect(updateOf('AUTHORISATION', { amount: { currency: 'CLP', value: 1 } })).toMatchObject({
      outcome: { about: { amountMinor: -1 } },
    });
  });

  test('nothing about what another system made in the account, nor about what moves no payment', () => {
    const foreign = [
      item('CAPTURE', { merchantReference: 'order-1' }),
      item('AUTHORISATION', { merchantReference: '' }),
    ];
    const other = [item('REPORT_AVAILABLE'), item('RECURRING_CONTRACT'), item('SOMETHING_NEW')];
    expect(read(...foreign, ...other)).toEqual({ kind: 'verified', updates: [] });
  });

  test('several things at once', () => {
    const answer = read(item('AUTHORISATION'), item('CAPTURE', { merchantReference: `${KEY}-capture` }));
    expect(answer).toMatchObject({ updates: [{ key: KEY }, { key: KEY }] });
  });
});
