import fc from 'fast-check';
import {
  amountProblems,
  parseAmount,
  plainDecimal,
  toDecimal,
  toDecimalText,
} from '../../../shared/domain/money/amount.js';
import { currencyCodes, findCurrency, findCurrencyByNumber } from '../../../shared/domain/money/currency.js';

const minorOf = (text: string, currency: string, options = {}) => {
  const parsed = parseAmount(text, currency, options);
  return parsed.kind === 'amount' ? parsed.minor : parsed.problem;
};

test.each([
  ['10.50', 'USD', 1050],
  ['0.01', 'USD', 1],
  ['10.500', 'USD', 1050],
  ['10.505', 'USD', 'too-many-decimals'],
  ['1050', 'JPY', 1050],
  ['1050.0', 'JPY', 1050],
  ['1050.5', 'JPY', 'too-many-decimals'],
  ['25.75', 'UYU', 2575],
  ['1.234', 'KWD', 1234],
  ['1.2345', 'KWD', 'too-many-decimals'],
  ['1.2345', 'UYW', 12345],
  ['007.10', 'USD', 710],
  ['00000000000000000007.10', 'USD', 710],
  ['999999999999.99', 'USD', 99999999999999],
  ['999999999999.999', 'KWD', 999999999999999],
  ['1000000000000', 'USD', 'too-large'],
  [`1${'0'.repeat(400)}`, 'USD', 'too-large'],
  ['0', 'USD', 'not-positive'],
  ['0.00', 'USD', 'not-positive'],
  ['10.50', 'usd', 'unknown-currency'],
  ['10.50', 'XXX', 'unknown-currency'],
  ['10.50', '__proto__', 'unknown-currency'],
  // There is no rounding: an excess decimal is refused at any position.
  [`0.01${'0'.repeat(60)}1`, 'USD', 'too-many-decimals'],
  [`0.${'0'.repeat(400)}1`, 'USD', 'too-many-decimals'],
  // Amounts that a JSON number cannot represent exactly are refused.
  ['900000000000.0001', 'CLF', 'too-large'],
  ['100000000000.0000', 'CLF', 'too-large'],
  ['99999999999.9999', 'CLF', 999999999999999],
])('%s %s is %s', (text, currency, wanted) => {
  expect(minorOf(text, currency)).toBe(wanted);
});

test.each(['', ' ', '1e3', '+1', '-1', '.5', '5.', '1,5', '1 000', 'NaN', 'Infinity', '0x10', '١', '1.2.3', '1_000'])(
  '%j is not a decimal',
  (text) => expect(minorOf(text, 'USD')).toBe('not-a-decimal'),
);

test('zero is an amount only if it is allowed', () => {
  expect(minorOf('0.00', 'USD', { zeroAllowed: true })).toBe(0);
  expect(minorOf('0.001', 'USD', { zeroAllowed: true })).toBe('too-many-decimals');
});

test.each([
  [1250, 'USD', '12.50'],
  [5, 'USD', '0.05'],
  [0, 'KWD', '0.000'],
  [1250, 'JPY', '1250'],
  // Stored before the currency was removed from the list: shown with two decimals, like most currencies.
  [1250, 'XXX', '12.50'],
])('%d minor units of %s are written %s', (minor, code, wanted) => {
  expect(toDecimalText(minor, code)).toBe(wanted);
  expect(toDecimal(minor, code)).toBe(Number(wanted));
});

test('every problem has a text', () => {
  for (const words of Object.values(amountProblems)) expect(words).toMatch(/\w{3}/);
  expect(Object.keys(amountProblems)).toHaveLength(5);
});

test('each currency is listed once, with a numeric code and a plausible exponent', () => {
  expect(new Set(currencyCodes).size).toBe(currencyCodes.length);
  const found = currencyCodes.map((code) => findCurrency(code));
  expect(new Set(found.map((currency) => currency?.numeric)).size).toBe(currencyCodes.length);
  for (const currency of found) {
    expect(currency?.numeric).toMatch(/^\d{3}$/);
    expect([0, 2, 3, 4]).toContain(currency?.exponent);
  }
  expect(findCurrency('HUF')?.exponent).toBe(2);
  expect(found.map((currency) => findCurrencyByNumber(currency?.numeric ?? ''))).toEqual(found);
  expect(findCurrencyByNumber('000')).toBeUndefined();
});

/** ISO 4217 by digits after the decimal point, numeric code before alphabetic code, repeated here by hand. */
const iso4217: Record<number, readonly string[]> = {
  0: [
    '108BIF 152CLP 262DJF 324GNF 352ISK 392JPY 174KMF 410KRW 600PYG 646RWF 800UGX 940UYI 704VND 548VUV 950XAF',
    '952XOF 953XPF',
  ],
  2: [
    '784AED 971AFN 008ALL 051AMD 973AOA 032ARS 036AUD 533AWG 944AZN 977BAM 052BBD 050BDT 060BMD 096BND 068BOB',
    '986BRL 044BSD 064BTN 072BWP 933BYN 084BZD 124CAD 976CDF 756CHF 156CNY 170COP 188CRC 192CUP 132CVE 203CZK',
    '208DKK 214DOP 012DZD 818EGP 232ERN 230ETB 978EUR 242FJD 238FKP 826GBP 981GEL 936GHS 292GIP 270GMD 320GTQ',
    '328GYD 344HKD 340HNL 332HTG 348HUF 360IDR 376ILS 356INR 364IRR 388JMD 404KES 417KGS 116KHR 408KPW 136KYD',
    '398KZT 418LAK 422LBP 144LKR 430LRD 426LSL 504MAD 498MDL 969MGA 807MKD 104MMK 496MNT 446MOP 929MRU 480MUR',
    '462MVR 454MWK 484MXN 458MYR 943MZN 516NAD 566NGN 558NIO 578NOK 524NPR 554NZD 590PAB 604PEN 598PGK 608PHP',
    '586PKR 985PLN 634QAR 946RON 941RSD 643RUB 682SAR 090SBD 690SCR 938SDG 752SEK 702SGD 654SHP 925SLE 706SOS',
    '968SRD 728SSP 930STN 222SVC 760SYP 748SZL 764THB 972TJS 934TMT 776TOP 949TRY 780TTD 901TWD 834TZS 980UAH',
    '840USD 858UYU 860UZS 926VED 928VES 882WST 396XAD 951XCD 532XCG 886YER 710ZAR 967ZMW 924ZWG',
  ],
  3: ['048BHD 368IQD 400JOD 414KWD 434LYD 512OMR 788TND'],
  4: ['990CLF 927UYW'],
};

test('each currency has the numeric code and the decimals of ISO 4217', () => {
  const listed = Object.entries(iso4217).flatMap(([digits, lines]) =>
    lines.flatMap((line) => line.split(' ')).map((currency) => `${currency} ${digits}`),
  );
  const found = currencyCodes.map((code) => {
    const { numeric, exponent } = findCurrency(code) ?? {};
    return `${numeric}${code} ${exponent}`;
  });
  expect(found.sort()).toEqual(listed.sort());
});

const currency = fc.constantFrom(...currencyCodes);
const exponentOf = (code: string) => findCurrency(code)?.exponent ?? 0;

/** Largest accepted amount (minor units). */
const largest = (code: string) => Math.min(10 ** (12 + exponentOf(code)), 10 ** 15) - 1;

test('property: an amount of every currency is presented as it was parsed', () => {
  const amounts = currency.chain((code) =>
    fc.tuple(
      fc.constant(code),
      fc.oneof(
        fc.integer({ min: 1, max: 5_000 }),
        fc.integer({ min: 1, max: largest(code) }),
        fc.constant(largest(code)),
      ),
    ),
  );
  fc.assert(
    fc.property(amounts, ([code, minor]) => {
      const onTheWire = JSON.stringify(toDecimal(minor, code));
      expect(onTheWire).toMatch(/^\d+(\.\d+)?$/);
      expect(minorOf(onTheWire, code)).toBe(minor);
    }),
    { numRuns: 3_000 },
  );
});

test('property: leading and trailing zeros do not change an amount', () => {
  const text = fc.tuple(currency, fc.integer({ min: 1, max: 99_999_999 }), fc.nat(3), fc.nat(3));
  fc.assert(
    fc.property(text, ([code, minor, before, after]) => {
      const exponent = exponentOf(code);
      const digits = String(minor).padStart(exponent + 1, '0');
      const whole = digits.slice(0, digits.length - exponent);
      const fraction = exponent === 0 ? '' : `.${digits.slice(-exponent)}${'0'.repeat(after)}`;
      expect(minorOf('0'.repeat(before) + whole + fraction, code)).toBe(minor);
    }),
  );
});

test('property: no text throws or gives anything but a positive integer amount', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0-9.eE+-]{0,40}$/)), currency, (text, code) => {
      const parsed = parseAmount(text, code);
      if (parsed.kind === 'amount') expect(Number.isSafeInteger(parsed.minor) && parsed.minor > 0).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});

test.each([
  ['10', '10'],
  ['10.0', '10'],
  ['100.00', '100'],
  ['010', '10'],
  ['10.50', '10.5'],
  ['0.05', '0.05'],
  ['0.000001', '0.000001'],
  ['999999999999999.999999', '999999999999999.999999'],
  ['000', '0'],
  ['0.00', '0'],
])('%p is written %p', (written, plain) => expect(plainDecimal(written)).toBe(plain));
