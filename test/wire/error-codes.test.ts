/** The error table of docs/decisions.md, tested on a whole gateway: what triggers each code, and that a refusal stores nothing. */
import { errorCatalogue } from '../../shared/contract/error-catalogue.js';
import { paymentBody, startGateway, type TestGateway } from '../support/gateway.js';
import { withValue } from './schema-walk.js';
import { withoutLimits } from './wire-client.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway({
    name: 'errors',
    settings: { ...withoutLimits, PROCESSOR_TIMEOUT_MS: '2000', RESPONSE_WAIT_MS: '8000' },
  });
});
afterAll(() => gateway?.close());

const stored = () => gateway.database.collection('payments').countDocuments();
/** Returns the valid body with some fields replaced. Paths of fields are written with dots. */
function bodyWith(changes: Record<string, unknown>): Record<string, unknown> {
  let body: unknown = paymentBody();
  for (const [path, value] of Object.entries(changes)) body = withValue(body, path.split('.'), value);
  return body as Record<string, unknown>;
}

type Code = keyof typeof errorCatalogue;

async function refused(changes: Record<string, unknown>, code: Code, fields: readonly string[], path = '/v1/payments') {
  const before = await stored();
  const { status, body, headers } = await gateway.call('POST', path, bodyWith(changes));
  expect({ code: body.code, fields: Object.keys(body.params ?? {}).sort() }).toEqual({
    code,
    fields: [...fields].sort(),
  });
  expect(body).toMatchObject({ status: errorCatalogue[code].status, type: errorCatalogue[code].type });
  expect([status, headers.get('x-trace-id')]).toEqual([errorCatalogue[code].status, body.traceId]);
  for (const text of Object.values(changes)) {
    if (typeof text === 'string' && text.length > 4) expect(JSON.stringify(body)).not.toContain(text);
  }
  expect(await stored()).toBe(before);
}

const card = (field: string) => `paymentMethod.card.${field}`;

describe('one wrong field', () => {
  test.each<[string, Record<string, unknown>, Code, string]>([
    ['check digit', { [card('number')]: '4242424242424241' }, 'invalid-card-number', card('number')],
    ['too short for its brand', { [card('number')]: '4242424242426' }, 'invalid-card-number', card('number')],
    ['spaces', { [card('number')]: '4242 4242 4242 4242' }, 'invalid-card-number', card('number')],
    ['letters', { [card('number')]: '4242x24242424242' }, 'invalid-card-number', card('number')],
    ['20 digits', { [card('number')]: '42424242424242424242' }, 'invalid-card-number', card('number')],
    ['other digits', { [card('number')]: '٤٢٤٢٤٢٤٢٤٢٤٢٤٢٤٢' }, 'invalid-card-number', card('number')],
    ['cvc of 2', { [card('cvc')]: '12' }, 'invalid-card-cvc', card('cvc')],
    ['cvc of 4 on visa', { [card('cvc')]: '1234' }, 'invalid-card-cvc', card('cvc')],
    ['month 0', { [card('expMonth')]: 0 }, 'invalid-card-expiration-date', card('expMonth')],
    ['month 13', { [card('expMonth')]: 13 }, 'invalid-card-expiration-date', card('expMonth')],
    ['month 1.5', { [card('expMonth')]: 1.5 }, 'invalid-card-expiration-date', card('expMonth')],
    [
      'last year',
      { [card('expYear')]: new Date().getUTCFullYear() - 1 },
      'invalid-card-expiration-date',
      card('expYear'),
    ],
    ['two-digit year', { [card('expYear')]: 34 }, 'invalid-card-expiration-date', card('expYear')],
    ['in a hundred years', { [card('expYear')]: 2199 }, 'invalid-card-expiration-date', card('expYear')],
    [
      'in 21 years',
      { [card('expYear')]: new Date().getUTCFullYear() + 21 },
      'invalid-card-expiration-date',
      card('expYear'),
    ],
    [
      'cardholder e-mail',
      { [card('cardholder')]: { email: 'nobody' } },
      'invalid-cardholder',
      `${card('cardholder')}.email`,
    ],
    [
      'cardholder country',
      { [card('cardholder')]: { billingAddress: { line1: 'x', country: 'Uruguay' } } },
      'invalid-cardholder',
      `${card('cardholder')}.billingAddress.country`,
    ],
    ['address', { browserDetails: { ipAddress: '300.1.1.1' } }, 'invalid-browser-details', 'browserDetails.ipAddress'],
    ['network', { browserDetails: { ipAddress: '10.0.0.0/8' } }, 'invalid-browser-details', 'browserDetails.ipAddress'],
    ['currency', { 'amount.currency': 'XXX' }, 'currency-not-found', 'amount.currency'],
    ['currency in lower case', { 'amount.currency': 'usd' }, 'currency-not-found', 'amount.currency'],
    ['currency by number', { 'amount.currency': '840' }, 'currency-not-found', 'amount.currency'],
    ['name of Object', { 'amount.currency': 'toString' }, 'currency-not-found', 'amount.currency'],
    ['amount 0', { 'amount.total': 0 }, 'payment-invalid-amount', 'amount.total'],
    ['amount below 0', { 'amount.total': -1 }, 'payment-invalid-amount', 'amount.total'],
    ['cents of a cent', { 'amount.total': '10.005' }, 'payment-invalid-amount', 'amount.total'],
    ['13 digits', { 'amount.total': '1000000000000' }, 'payment-invalid-amount', 'amount.total'],
    ['long invoice', { invoiceNumber: 'I'.repeat(65) }, 'payment-invalid-invoice-number', 'invoiceNumber'],
    ['invoice with a line', { invoiceNumber: 'INV\n1' }, 'payment-invalid-invoice-number', 'invoiceNumber'],
    ['no invoice', { invoiceNumber: undefined }, 'request-validation-errors', 'invoiceNumber'],
    ['null invoice', { invoiceNumber: null }, 'request-validation-errors', 'invoiceNumber'],
    ['empty invoice', { invoiceNumber: '' }, 'request-validation-errors', 'invoiceNumber'],
    ['blank invoice', { invoiceNumber: '  ' }, 'request-validation-errors', 'invoiceNumber'],
    ['no card', { 'paymentMethod.card': undefined }, 'request-validation-errors', 'paymentMethod.card'],
    ['a typing error', { statementDescripter: 'x' }, 'request-validation-errors', 'statementDescripter'],
    ['delay by hand', { capture: { method: 'manual', delay: 5 } }, 'request-validation-errors', 'capture.delay'],
    ['delay of a week', { capture: { delay: 7 * 24 * 3_600 } }, 'request-validation-errors', 'capture.delay'],
    ['delay below 0', { capture: { delay: -1 } }, 'request-validation-errors', 'capture.delay'],
    ['pos with a card', { flow: 'pos' }, 'request-validation-errors', 'flow'],
    [
      '201 items',
      { items: Array(201).fill({ name: 'a', quantity: 1, price: 1 }) },
      'request-validation-errors',
      'items',
    ],
    ['quantity 0', { items: [{ name: 'a', quantity: 0, price: 1 }] }, 'request-validation-errors', 'items.0.quantity'],
    [
      'currency of an item',
      { items: [{ name: 'a', quantity: 1, price: 1, tax: { amount: 1, currency: 'XXX' } }] },
      'currency-not-found',
      'items.0.tax.currency',
    ],
  ])('%s has its own code', async (_name, changes, code, field) => refused(changes, code, [field]));

  test('a missing field of a card never has the code of a wrong one', async () => {
    for (const field of ['number', 'expMonth', 'expYear']) {
      await refused({ [card(field)]: undefined }, 'request-validation-errors', [card(field)]);
    }
  });

  test('a card without a method for its brand, or of another brand than the id, is refused', async () => {
    await refused({ 'paymentMethod.id': 'mastercard' }, 'invalid-card-payment-method', ['paymentMethod.id']);
    await refused({ 'paymentMethod.id': 'no-such-method' }, 'invalid-card-payment-method', ['paymentMethod.id']);
    // UnionPay is a known brand, but not in the catalog of payment methods.
    await refused({ [card('number')]: '6200000000000005' }, 'invalid-card-payment-method', []);
  });

  test('an unknown merchant, one of another client and an invalid id are refused', async () => {
    await refused({ merchantId: 999_999 }, 'merchant-not-found', ['merchantId']);
    await refused({ merchantId: 2001 }, 'forbidden', ['merchantId']);
    await refused({ merchantId: 0 }, 'request-validation-errors', ['merchantId']);
  });
});

describe('two wrong fields are request-validation-errors with both', () => {
  test.each<[string, Record<string, unknown>]>([
    ['number and cvc', { [card('number')]: '4242424242424241', [card('cvc')]: '12345' }],
    ['number and cvc, each right by itself', { [card('number')]: '4242424242424241', [card('cvc')]: '1234' }],
    ['number and expiry', { [card('number')]: '4242424242424241', [card('expYear')]: 2001 }],
    ['number and month', { [card('number')]: '4242424242424241', [card('expMonth')]: 13 }],
    ['cvc and expiry', { [card('cvc')]: '1234', [card('expYear')]: 2001 }],
    ['number and amount', { [card('number')]: '4242424242424241', 'amount.total': 0 }],
    ['amount and currency', { 'amount.total': -1, 'amount.currency': 'XXX' }],
    ['amount and tip', { 'amount.total': '1.001', 'amount.tip': '0.001' }],
    ['invoice and reference', { invoiceNumber: null, referenceId: undefined }],
    ['invoice and amount', { invoiceNumber: 'I'.repeat(65), 'amount.total': 0 }],
    ['flow and amount', { flow: 'sideways', 'amount.total': 0 }],
    ['redirect and amount', { redirectUrl: 'javascript:alert(1)', 'amount.total': 0 }],
    ['redirect and callback', { redirectUrl: 'javascript:alert(1)', callbackUrl: 'ftp://example.com/x' }],
    ['capture and currency', { 'amount.currency': 'XXX', capture: { delay: -1 } }],
  ])('%s', async (_name, changes) => {
    const names = Object.keys(changes).map((name) => (name === 'capture' ? 'capture.delay' : name));
    await refused(changes, 'request-validation-errors', names);
  });
});

describe('amounts', () => {
  const pay = (amount: unknown) => gateway.call('POST', '/v1/payments', paymentBody({ amount }));

  test.each<[string, string | number, number]>([
    ['JPY', 500, 500],
    ['JPY', '500.00', 500],
    ['KWD', '1.234', 1.234],
    ['UYU', '0.01', 0.01],
    ['USD', '999999999999.99', 999_999_999_999.99],
    ['USD', 0.1, 0.1],
    ['USD', '0010.50', 10.5],
    ['CLF', '1.2345', 1.2345],
  ])('%s %s is accepted and answered as %s', async (currency, total, echoed) => {
    const { status, body } = await pay({ total, currency });
    expect([status, body.amount?.total ?? body]).toEqual([200, echoed]);
  });

  test.each([
    ['JPY', 10.5],
    ['JPY', '0.1'],
    ['KWD', '1.2345'],
    ['USD', '0.001'],
    ['USD', '0.00'],
    ['USD', '999999999999.991'],
  ])('%s %s is refused', async (currency, total) =>
    refused({ amount: { total, currency } }, 'payment-invalid-amount', ['amount.total']),
  );

  test.each<[string, Record<string, unknown>, Code, string]>([
    ['tip twice', { tip: 1, details: { tip: { amount: 2 } } }, 'request-validation-errors', 'amount.tip'],
    ['tax twice', { tax: 1, details: { tax: { type: 'none', amount: 2 } } }, 'request-validation-errors', 'amount.tax'],
    [
      'taxedAmount twice',
      { taxedAmount: 1, details: { taxedAmount: 2 } },
      'request-validation-errors',
      'amount.taxedAmount',
    ],
    ['taxedAmount over total', { taxedAmount: 10.51 }, 'payment-invalid-amount', 'amount.taxedAmount'],
    [
      'details.taxedAmount over total',
      { details: { taxedAmount: 10.51 } },
      'payment-invalid-amount',
      'amount.details.taxedAmount',
    ],
    ['tip over total', { tip: 11 }, 'payment-invalid-amount', 'amount.tip'],
    [
      'details.tip over total',
      { details: { tip: { amount: 11 } } },
      'payment-invalid-amount',
      'amount.details.tip.amount',
    ],
    ['tip in mills', { tip: '0.001' }, 'payment-invalid-amount', 'amount.tip'],
    ['tax type', { details: { tax: { type: '1' } } }, 'request-validation-errors', 'amount.details.tax.type'],
  ])('%s is refused', async (_name, more, code, field) =>
    refused({ amount: { total: 10.5, currency: 'USD', ...more } }, code, [field]),
  );

  test('amount parts that agree are accepted, as numbers and as texts', async () => {
    const details = { tax: { type: '19210', amount: '2.00', rate: '0.1' }, taxedAmount: 8.5, tip: { amount: 1 } };
    const { status, body } = await pay({
      total: '10.50',
      currency: 'USD',
      tip: '1.00',
      tax: 2,
      taxedAmount: '8.5',
      details,
    });
    expect([status, body.amount]).toMatchObject([
      200,
      { total: 10.5, tip: 1, tax: 2, taxedAmount: 8.5, details: { tax: { rate: 0.1 } } },
    ]);
  });
});

describe('URLs', () => {
  test.each([
    'javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'ftp://example.com/',
    '/relative',
    '//example.com/x',
    'example.com/x',
    'https://user@example.com/',
    'https://user:secret@example.com/',
    'https://',
    ' https://example.com/',
    'https://example.com/a b',
    'https:\\\\example.com\\x',
    'https://example.com/\r\nX-Injected: 1',
    `https://example.com/${'a'.repeat(2_048)}`,
    'file:///etc/passwd',
    'blob:https://example.com/1',
  ])('%s is neither a redirectUrl nor a callbackUrl', async (url) => {
    await refused({ redirectUrl: url }, 'request-validation-errors', ['redirectUrl']);
    await refused({ callbackUrl: url }, 'request-validation-errors', ['callbackUrl']);
  });

  test.each([
    'https://127.0.0.1:6379/',
    'http://127.0.0.1:22/',
    'https://169.254.169.254/latest',
    'http://0.0.0.0:8080/',
  ])('%s is no callbackUrl, even if private networks are allowed', async (url) =>
    refused({ callbackUrl: url }, 'request-validation-errors', ['callbackUrl']),
  );
});
