/** Details stored of a payer's browser: always within the ranges of EMV 3DS, whatever the browser sent. */
import fc from 'fast-check';
import { browserOf } from '../../api/pages/http/browser-of.js';
import { browserDetailsSchema } from '../../api/payments/payment-request.schema.js';
import { limits } from '../../config/limits.js';

const headers = {
  ipAddress: '203.0.113.7',
  userAgent: 'Mozilla/5.0',
  accept: 'text/html',
  acceptLanguage: 'es-UY,es;q=0.9',
  pageLanguage: 'en',
};
const form = (more: Record<string, string> = {}) =>
  new URLSearchParams({
    language: 'pt-BR',
    javaEnabled: 'false',
    colorDepth: '24',
    screenHeight: '1080',
    screenWidth: '1920',
    timeZoneOffset: '180',
    ...more,
  }).toString();
const read = (sent: string | undefined, more: Partial<typeof headers> | Record<string, undefined> = {}) =>
  browserOf({ ...headers, ...more, form: sent } as never);

test('headers and script are combined', () => {
  expect(read(form())).toEqual({
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
    acceptHeader: 'text/html',
    language: 'pt-BR',
    javascriptEnabled: true,
    javaEnabled: false,
    colorDepth: 24,
    screenHeight: 1080,
    screenWidth: 1920,
    timeZoneOffset: 180,
  });
});

test('without a script only the headers count, and JavaScript is reported as disabled', () => {
  expect(read(undefined)).toEqual({
    ipAddress: '203.0.113.7',
    userAgent: 'Mozilla/5.0',
    acceptHeader: 'text/html',
    language: 'es-UY',
    javascriptEnabled: false,
  });
  expect(read(undefined, { accept: undefined, acceptLanguage: undefined })).toMatchObject({
    acceptHeader: '*/*',
    language: 'en',
  });
});

test.each([
  ['colorDepth', '30', 24],
  ['colorDepth', '64', 48],
  ['colorDepth', '0', 1],
  ['screenHeight', '853.5', 854],
  ['screenWidth', '123456789', 999_999],
  ['screenHeight', '-5', 0],
  ['timeZoneOffset', '-99999', -840],
  ['language', 'zh-Hant-TW', 'zh-Hant'],
  ['language', '<script>', 'es-UY'],
])('%s of %s is stored as %s', (name, sent, kept) => {
  expect(read(form({ [name]: sent }))).toMatchObject({ javascriptEnabled: true, [name]: kept });
});

test.each(['colorDepth', 'screenHeight', 'screenWidth', 'timeZoneOffset'])(
  'a %s that is no number counts as a browser without scripts',
  (name) => {
    for (const sent of ['', 'NaN', '1e9', '0x10', 'Infinity'])
      expect(read(form({ [name]: sent })).javascriptEnabled).toBe(false);
  },
);

test('a user agent is kept as one line of printable ASCII, within the length that the API takes', () => {
  const kept = (userAgent: string) => read(undefined, { userAgent }).userAgent;
  expect(kept('Moz\u0085illa\u009b/5.0 é')).toBe('Mozilla/5.0');
  expect(kept('x'.repeat(9_000))).toBe('x'.repeat(limits.userAgentLengthMax));
  expect(kept('\u0085 ')).toBeUndefined();
});

test('the API accepts the stored details, whatever was sent', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 40 });
  fc.assert(
    fc.property(
      fc.option(fc.record({ language: anything, colorDepth: anything, screenHeight: fc.integer().map(String) }), {
        nil: undefined,
      }),
      anything,
      anything,
      anything,
      (sent, accept, acceptLanguage, userAgent) => {
        const kept = read(sent === undefined ? undefined : form(sent), { accept, acceptLanguage, userAgent } as never);
        expect(browserDetailsSchema.validate(kept).error).toBeUndefined();
      },
    ),
    { numRuns: 2_000 },
  );
});
