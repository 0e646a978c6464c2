/**
 * Every request of the adapter, checked against the models of Adyen's own library, and our signatures against its signatures.
 * The library is fetched from npm. If that is not possible, one skipped test says why.
 */
import { signNotification } from '../../../shared/processors/adyen/hmac.js';
import type { AdyenNotification } from '../../../shared/processors/adyen/notification.js';
import type { AuthorizeRequest } from '../../../shared/processors/processor.js';
import { describeWithLibrary, type Library } from '../../support/adyen/obtain-library.js';
import { account } from '../../support/adyen/server.js';
import { cardOf } from '../sandbox/sandbox-harness.js';
import { CARD, onto, openAdyenHarness, pay, takeBack } from './adyen-harness.js';

interface Model {
  readonly attributeTypeMap: readonly { readonly baseName: string; readonly type: string }[];
  readonly [member: string]: unknown;
}
type Models = Readonly<Record<string, Model>>;

/** The model of the payment method: Adyen has many. */
const chosen: Readonly<Record<string, string>> = { PaymentRequestPaymentMethod: 'CardDetails' };
const primitives = { string: 'string', number: 'number', boolean: 'boolean', Date: 'string' } as const;

function valueProblems(models: Models, type: string, value: unknown, at: string): string[] {
  const plain = type.replace(/ \| null$/, '');
  if (plain in primitives) {
    return typeof value === primitives[plain as 'string'] ? [] : [`${at} is no ${plain}`];
  }
  const item = /^Array<(.+)>$/.exec(plain)?.[1];
  if (item !== undefined) {
    if (!Array.isArray(value)) return [`${at} is no list`];
    return value.flatMap((member, index) => valueProblems(models, item, member, `${at}.${index}`));
  }
  if (plain.startsWith('{')) {
    const wrong = Object.entries(value as object).filter(([, text]) => typeof text !== 'string');
    return wrong.map(([name]) => `${at}.${name} is no text`);
  }
  const [owner, members] = plain.split('.');
  if (owner !== undefined && members !== undefined) {
    const allowed = Object.values(models[owner]?.[members] as Record<string, string>);
    return allowed.includes(value as string) ? [] : [`${at} is none of ${allowed.join(', ')}`];
  }
  return problemsOf(models, chosen[plain] ?? plain, value as object, at);
}

/** Returns the members that Adyen's model does not have, and those of another type. */
function problemsOf(models: Models, name: string, value: object, at = name): string[] {
  const model = models[name];
  if (!model) return [`${at}: there is no model ${name}`];
  return Object.entries(value).flatMap(([member, held]) => {
    const known = model.attributeTypeMap.find(({ baseName }) => baseName === member);
    return known ? valueProblems(models, known.type, held, `${at}.${member}`) : [`${at}.${member} is not known`];
  });
}

/** A payment with every detail that the adapter can send. */
const fullest = (): AuthorizeRequest =>
  pay({
    capture: true,
    merchant: {
      ...pay().merchant,
      merchantCategoryCode: '5999',
      facilitator: { id: 'PF1', subMerchant: { id: 'SUB1', name: 'Shop', merchantCategoryCode: '5812' } },
    },
    money: {
      installments: 3,
      installmentPlan: 'regular',
      surcharge: { amountMinor: 25 },
      partialApprovalAllowed: true,
    },
    order: {
      referenceId: 'order-1',
      invoiceNumber: 'INV-1',
      statementDescriptor: 'CASA LUMBRE',
      items: [{ referenceId: 'SKU', name: 'Lamp', quantity: 1, price: '10', tax: { amount: '1', currency: 'USD' } }],
      fields: { loyalty: 'gold' },
    },
    payer: {
      firstName: 'Ana',
      lastName: 'Paz',
      email: 'ana@example.com',
      phone: '+59899123456',
      birthdate: new Date('1990-02-28'),
      address: { line1: 'Rambla 1234', city: 'Montevideo', state: 'MO', postalCode: '11300', country: 'UY' },
      shipping: { address: { line1: 'Rambla 1', postalCode: '11300' } },
      browser: { ipAddress: '192.0.2.7', deviceFingerprint: 'dfp' },
      customerId: 'cus_1',
    },
    credential: {
      source: 'token',
      card: { ...cardOf(CARD), holderName: 'Ana Paz' },
      stored: {
        initiator: 'merchant',
        use: 'subsequent',
        reason: 'recurring',
        networkTransactionId: '016153570198200',
        networkLinkId: 'TLID0001',
      },
    },
    proof: {
      version: '2.2.0',
      transStatus: 'Y',
      eci: '05',
      dsTransactionId: 'c4e59ceb',
      authenticationValue: 'AAABAQAAAAAAAAAAAAAAAAAAAAA=',
      exemption: 'low-value',
    },
  });

const withToken = (): AuthorizeRequest => {
  const card = { ...cardOf(CARD), networkToken: { cryptogram: 'AgAAAAAAAIR8CQrXcIhbQAAAAAA=', eci: '07' } };
  return pay({ capture: false, credential: { source: 'network-token', card } });
};

const withWallet = (wallet: 'wallet-a-pay' | 'wallet-b-pay'): AuthorizeRequest => {
  const card = { ...cardOf(CARD), wallet, networkToken: { cryptogram: 'AgAAAAAAAIR8CQrXcIhbQAAAAAA=' } };
  return pay({ credential: { source: `${wallet}-token`, card } });
};

const modelOf = (path: string): string => {
  const what = /(payments|cancels|captures|refunds|reversals)$/.exec(path)?.[1];
  if (path === '/cancels') return 'StandalonePaymentCancelRequest';
  const names = {
    payments: 'PaymentRequest',
    captures: 'PaymentCaptureRequest',
    cancels: 'PaymentCancelRequest',
    refunds: 'PaymentRefundRequest',
    reversals: 'PaymentReversalRequest',
  };
  return names[what as keyof typeof names];
};

function declare(library: Library): void {
  const models = library('typings/checkout/models.js') as Models;

  test('every member of every request is in the models of the maker, with its type', async () => {
    const harness = await openAdyenHarness();
    try {
      await harness.processor.authorize(fullest());
      await harness.processor.authorize(withWallet('wallet-a-pay'));
      await harness.processor.authorize(withWallet('wallet-b-pay'));
      const { request, reference } = await harness.approved(withToken());
      for (const operation of ['capture', 'refund', 'cancel'] as const) {
        await harness.processor[operation](onto(request, reference, { reason: 'fraud-detected' }));
      }
      await harness.processor.reverse(takeBack(request));
      await harness.processor.reverse(takeBack(request, reference));
      const sent = harness.server.requests;
      expect(new Set(sent.map(({ path }) => modelOf(path))).size).toBe(6);
      expect(sent.flatMap(({ path, body }) => problemsOf(models, modelOf(path), body))).toEqual([]);
      const common = ['AdditionalDataCommon', 'AdditionalData3DSecure'].flatMap((name) =>
        (models[name] as Model).attributeTypeMap.map(({ baseName }) => baseName),
      );
      const extras = sent.flatMap(({ body }) => Object.keys(body.additionalData ?? {}));
      expect(extras.length).toBeGreaterThan(4);
      // The guides to the wallets name these members; the models do not have them.
      const ofWallets = ['paymentdatasource.type', 'paymentdatasource.tokenized'];
      expect(extras.filter((name) => ![...common, ...ofWallets].includes(name))).toEqual([]);
    } finally {
      await harness.close();
    }
  });

  test('the check finds members that are unknown or of another type', () => {
    const wrong = { amount: { currency: 'USD', value: '10' }, reference: 'r', colour: 'red' };
    expect(problemsOf(models, 'PaymentCaptureRequest', wrong)).toEqual([
      'PaymentCaptureRequest.amount.value is no number',
      'PaymentCaptureRequest.colour is not known',
    ]);
  });

  test('a notification has the same signature as from the library of the maker', () => {
    const { default: HmacValidator } = library('utils/hmacValidator.js') as {
      default: new () => { calculateHmac(item: AdyenNotification, key: string): string };
    };
    const item: AdyenNotification = {
      eventCode: 'CAPTURE',
      success: 'true',
      pspReference: 'QFQTPCQ8HXSKGK82',
      originalReference: '9913140798220028',
      merchantReference: 'txn_1-capture',
      merchantAccountCode: 'CasaLumbreECOM',
      amount: { currency: 'EUR', value: 1_000 },
      additionalData: {},
    };
    const { originalReference: _none, ...first } = item;
    for (const signed of [item, first, { ...item, success: 'false', merchantReference: 'Ünïcode 7' } as const]) {
      expect(signNotification(signed, account.hmacKey)).toBe(
        new HmacValidator().calculateHmac(signed, account.hmacKey),
      );
    }
  });
}

describeWithLibrary('against the library of the maker', declare);
