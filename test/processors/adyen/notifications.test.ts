/** Notifications: when they are verified, and which updates of the port they become. */
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

test('notifications are acknowledged with the text that Adyen requires', () =>
  expect(reader.acknowledgement).toBe('[accepted]'));

describe('verification', () => {
  const ones = [item('REPORT_AVAILABLE', { pspReference: 'report_1.csv', merchantReference: '' })];

  test('items signed with the current or the previous key are verified', () => {
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
  ])('a notification is unverified: %s', (_what, body) => expect(reader.read(raw(body))).toEqual(unverified));

  test('a notification is unverified if one of its items is signed with another key', () => {
    const other = JSON.parse(notificationBody([item('REFUND')], 'b2'.repeat(32)));
    const both = JSON.parse(notificationBody([item('CAPTURE')]));
    both.notificationItems.push(...other.notificationItems);
    expect(reader.read(raw(JSON.stringify(both)))).toEqual(unverified);
  });

  test('no key verifies nothing, and the address of a merchant accepts its own key and account only', () => {
    expect(createAdyenUpdateReader({}).read(raw(notificationBody(ones)))).toEqual(unverified);
    const own = (credentials: Record<string, string>, key: string = account.hmacKey) =>
      reader.read(raw(notificationBody([item('CAPTURE')], key), { credentials }));
    expect(own(account)).toMatchObject({ kind: 'verified' });
    expect(own({ ...account, hmacKey: 'c3'.repeat(32) })).toEqual(unverified);
    expect(own({ ...account, hmacKey: 'c3'.repeat(32) }, 'c3'.repeat(32))).toMatchObject({ kind: 'verified' });
    expect(own({ ...account, merchantAccount: 'AnotherECOM' })).toEqual(unverified);
  });

  describe('invalid keys', () => {
    /** Signed with the empty key, which Node makes of a text that does not begin with hexadecimal digits: everyone knows it. */
    const forged = notificationBody(ones, '');
    const key = account.hmacKey;
    const texts = ['', ',', ' ', 'none', `"${key}"`, `0x${key}`, `'${key}',${key}`, key.slice(0, -1), 'ab'];

    test.each(texts)('a signature under the empty key is unverified when the key is set to: %s', (hmacKey) => {
      for (const readsBy of [{ credentials: { ...account, hmacKey } }, {}]) {
        expect(createAdyenUpdateReader({ hmacKeys: hmacKey }).read(raw(forged, readsBy))).toEqual(unverified);
      }
    });

    test('blanks around a valid key do not matter', () => {
      const credentials = { ...account, hmacKey: ` ${'b2'.repeat(32)}, ${key}\n` };
      expect(reader.read(raw(forged, { credentials }))).toEqual(unverified);
      expect(reader.read(raw(notificationBody([item('CAPTURE')]), { credentials }))).toMatchObject({
        kind: 'verified',
      });
    });
  });

  test('basic authentication is required if it is configured', () => {
    const guarded = createAdyenUpdateReader({ hmacKeys: account.hmacKey, user: 'adyen', password: 'secret' });
    const body = notificationBody(ones);
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    expect(guarded.read(raw(body, { headers: basic('adyen:secret') }))).toMatchObject({ kind: 'verified' });
    for (const headers of [{}, basic('adyen:other'), basic('x'), { authorization: 'Bearer secret' }]) {
      expect(guarded.read(raw(body, { headers }))).toEqual(unverified);
    }
  });

  test('a separator or a backslash in a value does not break the signature', () => {
    const colon = item('REPORT_AVAILABLE', { merchantReference: 'order:1\\2' });
    expect(read(colon)).toMatchObject({ kind: 'verified' });
  });
});

describe('an authorization that is held for manual review', () => {
  const updatesOf = (more: Partial<AdyenNotification>) =>
    (read(item('AUTHORISATION', more)) as unknown as { updates: object[] }).updates;

  test('reports the review beside the outcome', () => {
    const additionalData = { fraudManualReview: 'true', fraudResultType: 'AMBER' };
    expect(updatesOf({ additionalData })).toEqual([
      expect.objectContaining({ kind: 'outcome', eventId: `AUTHORISATION:${PSP}:true` }),
      {
        kind: 'review',
        eventId: `AUTHORISATION:${PSP}:true:review`,
        at: new Date('2026-11-23T00:00:00Z'),
        key: KEY,
        state: 'opened',
      },
    ]);
  });

  test.each<[string, Partial<AdyenNotification>]>([
    ['not held', { additionalData: { fraudManualReview: 'false' } }],
    ['no data of it', {}],
    ['refused', { success: 'false', additionalData: { fraudManualReview: 'true' } }],
  ])('is an outcome only when it is: %s', (_what, more) => {
    expect(updatesOf(more)).toMatchObject([{ kind: 'outcome' }]);
  });
});

describe('updates', () => {
  const at = new Date('2026-11-23T00:00:00Z');
  const updateOf = (...args: Parameters<typeof item>) => {
    const answer = read(item(...args)) as { updates: readonly unknown[] };
    expect(answer.updates).toHaveLength(1);
    return answer.updates[0];
  };

  test('AUTHORISATION is the outcome of a payment, under our key', () => {
    const additionalData = {
      ...{ authCode: '033899', networkTxReference: '016153570198200', transactionLinkId: 'TLID0001' },
      ...{ avsResult: '7 Both postal code and address match', cvcResult: '2 Not a match', cvcResultRaw: 'N' },
    };
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
        networkLinkId: 'TLID0001',
        checks: { avs: { address: 'match', postalCode: 'match' }, cvc: { code: 'N', result: 'no-match' } },
        about: { amountMinor: 1_000, currency: 'USD' },
      },
    });
    expect(updateOf('AUTHORISATION', { success: 'false', reason: 'Refused' })).toMatchObject({
      eventId: `AUTHORISATION:${PSP}:false`,
      outcome: { kind: 'declined', resultMessage: 'Refused' },
    });
  });

  test('the words of a refusal reason become the reason of the decline', () => {
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
    // An earlier release must be able to read the update too: it takes an approved part to be less than the whole.
    ['as much', '1000', 'USD', { about: { amountMinor: 1_000, currency: 'USD' }, mayBePart: true }],
    ['in another currency', '400', 'EUR', { about: { amountMinor: 1_000, currency: 'USD' } }],
    ['more', '1100', 'USD', { about: { amountMinor: 1_000, currency: 'USD' } }],
    // An amount of -1 is refused as no possible part.
    ['nothing that is an amount', 'x', 'USD', { approvedMinor: -1, about: { amountMinor: 1_000, currency: 'USD' } }],
  ])(
    'AUTHORISATION with an authorised amount that is %s',
    (_what, authorisedAmountValue, authorisedAmountCurrency, expected) => {
      const additionalData = { authorisedAmountValue, authorisedAmountCurrency };
      const { outcome, mayBePart } = updateOf('AUTHORISATION', { additionalData }) as {
        outcome: Record<string, unknown>;
        mayBePart?: true;
      };
      expect({ about: outcome['about'], approvedMinor: outcome['approvedMinor'], mayBePart }).toEqual({
        approvedMinor: undefined,
        ...expected,
      });
    },
  );

  test.each([
    ['CAPTURE', 'capture', 1_000],
    ['REFUND', 'refund', 1_000],
    // The amount is that of the payment, of which only a part may have been approved.
    ['CANCELLATION', 'cancel', undefined],
  ])('%s is the outcome of a modification', (event, kind, amountMinor) => {
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
    // The gateway asked for this modification, so an update whose payment is not found is flagged.
    expect(refused).not.toHaveProperty('mayBeForeign');
  });

  test.each(['CAPTURE', 'REFUND', 'CANCELLATION'])(
    '%s under the reference of the payment is no outcome of the payment',
    (event) => {
      const update = updateOf(event, { success: 'false' });
      // A person may have asked for it at Adyen. That person sees there that it was refused.
      expect(update).toMatchObject({ processorReference: PSP, mayBeForeign: true });
      expect(update).not.toHaveProperty('key');
      expect(updateOf(event)).not.toHaveProperty('mayBeForeign');
      // Adyen captures a purchase by itself. A capture that we asked for is found by its own reference first.
      expect((update as { purchase?: string }).purchase).toBe(event === 'CAPTURE' ? KEY : undefined);
    },
  );

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
  ] as const)('an operation in the Customer Area is an external one: %s %j', (event, more, done) => {
    const said = (updateOf(event, more as never) as { done?: object }).done;
    if (done) expect(said).toMatchObject({ ...done, of: KEY, processorReference: PSP });
    else expect(said).toBeUndefined();
  });

  test('a reversal in the Customer Area returns what remains, so it has no amount', () => {
    const additionalData = { 'modification.action': 'refund' };
    const { done } = updateOf('CANCEL_OR_REFUND', { additionalData }) as { done: object };
    expect(done).toEqual({ kind: 'refund', of: KEY, processorReference: PSP, currency: 'USD' });
  });

  test('EXPIRE is a hold that ran out, named by our reference', () => {
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

  test('a capture that Adyen repeats by itself is an external operation with its own event id', () => {
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

  test('a repeated capture of a purchase is the capture of that purchase, not another one', () => {
    const of = updateOf('CAPTURE', { merchantReference: KEY, reason: 'Transaction Recaptured' });
    expect(of).toMatchObject({ purchase: KEY, done: { kind: 'capture', of: KEY }, outcome: { kind: 'approved' } });
  });

  test.each([
    ['TECHNICAL_CANCEL', KEY],
    ['CANCEL_OR_REFUND', KEY],
    ['CANCEL_OR_REFUND', `${KEY}-reverse`],
    ['CANCELLATION', `${KEY}-reverse`],
  ])('%s of %s is the outcome of a reversal', (event, merchantReference) => {
    const update = updateOf(event, { merchantReference });
    expect(update).toMatchObject({
      kind: 'outcome',
      key: `${KEY}-reverse`,
      original: KEY,
      outcome: { kind: 'approved' },
    });
    expect(update).not.toHaveProperty('outcome.about');
    // A payment that was closed by our reference says nothing about a request by Adyen's reference.
    if (event === 'TECHNICAL_CANCEL') expect(update).not.toHaveProperty('originalReference');
    else expect(update).toHaveProperty('originalReference', ORIGINAL);
  });

  test.each(['TECHNICAL_CANCEL', 'CANCELLATION'])('%s about the closing of a refused payment is ignored', (event) => {
    const merchantReference = `${KEY}-close`;
    const items = ['true', 'false'].map((success) => item(event, { merchantReference, success } as never));
    expect(read(...items)).toEqual({ kind: 'verified', updates: [] });
  });

  test.each(['REFUND_FAILED', 'REFUNDED_REVERSED'])('%s is a refund that failed later', (event) => {
    expect(updateOf(event, { merchantReference: `${KEY}-refund`, reason: 'Refund Failed' })).toMatchObject({
      kind: 'refund-failed',
      key: KEY,
      processorReference: PSP,
      about: { amountMinor: 1_000, currency: 'USD' },
      resultMessage: 'Refund Failed',
    });
  });

  test('REFUND_FAILED of a reversal is a refund that failed later', () => {
    const merchantReference = `${KEY}-reverse`;
    expect(updateOf('REFUND_FAILED', { merchantReference })).toMatchObject({
      kind: 'refund-failed',
      key: merchantReference,
      about: { amountMinor: 1_000, currency: 'USD' },
    });
  });

  test.each([
    [`${KEY}-capture`, 'its capture', { key: KEY }],
    // A capture made in the Customer Area has its own reference; a purchase, which Adyen captures by itself, has that of the payment.
    [KEY, 'no operation of ours', { purchase: KEY, mayBeForeign: true }],
  ])('CAPTURE_FAILED of %s is about %s', (merchantReference, _what, names) => {
    const update = updateOf('CAPTURE_FAILED', { merchantReference, reason: 'Capture Failed' });
    expect(update).toMatchObject({
      kind: 'outcome',
      ...names,
      processorReference: PSP,
      outcome: { kind: 'declined', resultMessage: 'Capture Failed' },
    });
    expect(Object.hasOwn(update as object, 'key')).toBe('key' in names);
  });

  test('a second CAPTURE_FAILED with the same references at another time has another event id', () => {
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
  ])('%s reports a dispute with its status', (event, status) => {
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

  test('amounts are converted to our minor units', () => {
    const amount = { currency: 'CLP', value: 100_000 };
    expect(updateOf('AUTHORISATION', { amount })).toMatchObject({
      outcome: { about: { amountMinor: 1_000, currency: 'CLP' } },
    });
    expect(updateOf('AUTHORISATION', { amount: { currency: 'CLP', value: 1 } })).toMatchObject({
      outcome: { about: { amountMinor: -1 } },
    });
  });

  test('an event about another system or about no payment is ignored', () => {
    const foreign = [
      item('CAPTURE', { merchantReference: 'order-1' }),
      item('AUTHORISATION', { merchantReference: '' }),
    ];
    const other = [item('REPORT_AVAILABLE'), item('RECURRING_CONTRACT'), item('SOMETHING_NEW')];
    expect(read(...foreign, ...other)).toEqual({ kind: 'verified', updates: [] });
  });

  test('one notification may hold several updates', () => {
    const answer = read(item('AUTHORISATION'), item('CAPTURE', { merchantReference: `${KEY}-capture` }));
    expect(answer).toMatchObject({ updates: [{ key: KEY }, { key: KEY }] });
  });
});
