/** Details of a request other than card and amount: sent to an acquirer on jPOS and returned by it. Also: partial approvals. */
import { randomBytes } from 'node:crypto';
import { partsOf } from '../../../shared/processors/iso8583/adapter/tagged-fields.js';
import type { createIso8583Processor } from '../../../shared/processors/iso8583/create-iso8583-processor.js';
import { withoutPlace } from '../../../shared/processors/iso8583/profile/profile.js';
import type { AuthorizeRequest } from '../../../shared/processors/processor.js';
import { type Acquirer, amounts, describeWithJpos, startAcquirer } from '../../support/jpos/acquirer.js';
import { authorizeRequest, followUpRequest, inquireRequest, reverseRequest } from '../port-requests.js';
import { cardOf } from '../sandbox/sandbox-harness.js';
import { defaultProfile, type IsoHarness, openIsoHarness } from './iso-harness.js';

type Adapter = ReturnType<typeof createIso8583Processor>;

const newKey = () => `txn_${randomBytes(16).toString('hex')}`;
const base = { acquirer: 'iso8583' };
const DECLINED = cardOf('4000000000000002');
const request = (more: Partial<AuthorizeRequest> = {}): AuthorizeRequest =>
  authorizeRequest('4242424242424242', { ...base, key: newKey(), ...more });
const onto = ({ key }: { key: string }, amountMinor: number) =>
  followUpRequest(key, { ...base, key: newKey(), amountMinor });
const inquiry = ({ key, amountMinor }: AuthorizeRequest) => inquireRequest(key, { ...base, amountMinor });
const reversal = ({ key, amountMinor }: AuthorizeRequest) => reverseRequest(key, { ...base, amountMinor });

describeWithJpos('what iso8583 carries', () => {
  let acquirer: Acquirer;
  let harness: IsoHarness;
  let adapter: Adapter;
  const open = (more: Parameters<IsoHarness['connect']>[1] = {}) => harness.connect(acquirer.port, more);
  const linesOf = async ({ key }: { key: string }) =>
    (await harness.ledger(acquirer)).filter((line) => line.key === key || line.original === key);

  beforeAll(async () => {
    acquirer = await startAcquirer();
    harness = await openIsoHarness('iso8583-carried');
    adapter = open();
  });
  afterAll(async () => {
    await adapter?.close();
    await acquirer?.close();
    await harness?.close();
  });

  const rich = () =>
    request({
      money: {
        installments: 3,
        installmentPlan: 'PLAN-A',
        tip: { amountMinor: 50 },
        taxes: [{ law: '19210', amountMinor: 180 }],
        taxedAmountMinor: 820,
        surcharge: { amountMinor: 10 },
      },
      order: { referenceId: 'order-9', invoiceNumber: 'INV-9', statementDescriptor: 'Café Sarandí' },
      payer: {
        email: 'ana@example.com',
        phone: '+59829150000',
        document: { value: '12345672' },
        address: { line1: 'Sarandí 690', postalCode: '11000' },
        browser: { ipAddress: '203.0.113.7' },
      },
      merchant: {
        id: 7,
        name: 'Almacén',
        country: 'UY',
        merchantCategoryCode: '5411',
        facilitator: { id: 'PF1', subMerchant: { id: 'SUB1', name: 'Kiosko', merchantCategoryCode: '5499' } },
      },
      credential: {
        source: 'token',
        card: cardOf('4242424242424242'),
        stored: {
          initiator: 'merchant',
          use: 'subsequent',
          reason: 'recurring',
          networkTransactionId: 'FIRST1234567890',
          networkLinkId: 'LINK1',
        },
      },
      proof: { exemption: 'recurring-payment' as never },
    });

  it('every detail with a place in the profile arrives there', async () => {
    expect(await adapter.authorize(rich())).toMatchObject({ kind: 'approved' });
    const fields = await acquirer.last();
    expect(fields).toMatchObject({ 18: '5499', 43: `${'Kiosko'.padEnd(38)}UY` });
    const format = { tagLength: 2, lengthDigits: 3 };
    expect(Object.fromEntries(partsOf(fields[48] ?? '', format))).toEqual({
      46: 'recurring-payment',
      50: '03',
      51: 'PLAN-A',
      52: '19210',
      60: 'S',
      61: 'M',
      62: 'R',
      63: 'FIRST1234567890',
      64: 'LINK1',
      70: 'Cafe Sarandi',
      80: 'PF1',
      81: 'SUB1',
      92: '7391',
    });
    expect(Object.fromEntries(partsOf(fields[62] ?? '', format))).toEqual({
      '01': 'INV-9',
      '02': 'order-9',
      10: '000000000050',
      11: '000000000180',
      12: '000000000820',
      13: '000000000010',
      20: 'Sarandi 690',
      21: '11000',
      22: 'ana@example.com',
      23: '+59829150000',
      24: '12345672',
      25: '203.0.113.7',
    });
  });

  it('a merchant whose name the message cannot carry is named by its number', async () => {
    const merchant = { id: 7, name: 'Книги', country: 'UY' };
    expect(await adapter.authorize(request({ merchant }))).toMatchObject({ kind: 'approved' });
    expect(await acquirer.last()).toMatchObject({ 43: `${'MERCHANT 7'.padEnd(38)}UY` });
  });

  it('details of the network and the issuer are returned, and an inquiry returns them again', async () => {
    const sent = request();
    const outcome = await adapter.authorize(sent);
    expect(outcome).toMatchObject({
      kind: 'approved',
      networkTransactionId: expect.stringMatching(/^NTI\d{12}$/),
      networkLinkId: 'LNK',
      retrievalReference: expect.stringMatching(/^\d{12}$/),
      checks: {
        avs: { code: 'Z', address: 'no-match', postalCode: 'match' },
        cvc: { code: 'M', result: 'match' },
      },
      about: { amountMinor: 1_000, currency: 'USD' },
    });
    expect(await adapter.inquire(inquiry(sent))).toEqual({ kind: 'found', outcome });
    const declined = await adapter.authorize(request({ credential: { source: 'card', card: DECLINED } }));
    expect(declined).toMatchObject({
      kind: 'declined',
      networkDeclineCode: '05',
      networkAdviceCode: '03',
      advice: 'do-not-retry',
    });
  });

  it('details without a place: some refuse the payment, the others are left out', async () => {
    const { places } = defaultProfile;
    for (const [what, policy] of Object.entries(withoutPlace)) {
      const fewer = Object.fromEntries(Object.entries(places).filter(([name]) => name !== what));
      const poor = open({ profile: { ...defaultProfile, places: fewer } });
      const { proof: _none, ...full } = rich();
      const card = { ...cardOf('4242424242424242'), networkToken: { cryptogram: 'AAAA' } };
      const proof = {
        version: '2.2.0',
        eci: '05',
        dsTransactionId: 'ds',
        authenticationValue: 'cavv',
        exemption: 'low-value' as never,
      };
      const sent = { ...full, credential: { ...full.credential, card }, proof };
      const { kind, ...more } = await poor.authorize(sent);
      const refused = `Not sent: the acquirer's messages have no place for ${what}`;
      expect([what, kind, 'resultMessage' in more && more.resultMessage]).toEqual(
        policy === 'refuse' ? [what, 'failed', refused] : [what, 'approved', 'Approved'],
      );
      await poor.close();
    }
  });

  it('a partial approval that the merchant accepts is kept, and only the part is reversed', async () => {
    const sent = request({ amountMinor: amounts.partial, money: { partialApprovalAllowed: true } });
    const part = { kind: 'approved', resultCode: '10', approvedMinor: 45_000 };
    expect(await adapter.authorize(sent)).toMatchObject(part);
    expect(await adapter.inquire(inquiry(sent))).toMatchObject({ kind: 'found', outcome: part });
    expect(await linesOf(sent)).toMatchObject([{ kind: 'purchase', amountMinor: 45_000, result: 'approved' }]);
    expect(await adapter.refund(onto(sent, 45_001))).toMatchObject({ kind: 'declined' });
    expect(await adapter.reverse({ ...reversal(sent), amountMinor: 45_000 })).toMatchObject({ kind: 'reversed' });
    expect(await linesOf(sent)).toMatchObject([
      { kind: 'purchase', result: 'reversed' },
      { kind: 'refund', result: 'declined' },
      { kind: 'reversal', amountMinor: 45_000, result: 'reversed' },
    ]);
  });
});
