import fc from 'fast-check';
import { limits } from '../../config/limits.js';
import { parseBasicHeader } from '../../shared/identity/basic-header.js';

const basic = (text: string | Uint8Array) => `Basic ${Buffer.from(text as string).toString('base64')}`;
const credentials = (userId: string, password: string) => ({ kind: 'credentials', userId, password });

test('credentials are split at the first colon, and either side may be empty', () => {
  expect(parseBasicHeader(basic('cli:key'))).toEqual(credentials('cli', 'key'));
  expect(parseBasicHeader(basic('cli:key:with:colons'))).toEqual(credentials('cli', 'key:with:colons'));
  expect(parseBasicHeader(basic(':'))).toEqual(credentials('', ''));
  expect(parseBasicHeader(basic('ñandú:€'))).toEqual(credentials('ñandú', '€'));
});

test('the scheme may be in any case, and the padding may be missing', () => {
  expect(parseBasicHeader(`bAsIc ${Buffer.from('a:b').toString('base64')}`)).toEqual(credentials('a', 'b'));
  expect(parseBasicHeader(`Basic ${Buffer.from('ab:c').toString('base64').replace(/=/g, '')}`)).toEqual(
    credentials('ab', 'c'),
  );
});

test('no header and other schemes are absent, not malformed', () => {
  expect(parseBasicHeader(undefined)).toEqual({ kind: 'absent' });
  expect(parseBasicHeader('Bearer abc.def.ghi')).toEqual({ kind: 'absent' });
});

test.each([
  ['nothing', ''],
  ['a scheme alone', 'Basic'],
  ['a scheme and a space', 'Basic '],
  ['two tokens', `${basic('a:b')} ${basic('a:b')}`],
  ['two headers joined', `${basic('a:b')}, ${basic('a:b')}`],
  ['what is not base64', 'Basic a:b!'],
  ['the URL alphabet', 'Basic _-__'],
  ['base64 with rubbish in it', `Basic ${Buffer.from('a:b').toString('base64')}*`],
  ['too much padding', 'Basic YTpi==='],
  ['no colon', basic('key')],
  ['broken UTF-8', basic(Buffer.from([0x61, 0x3a, 0xff]))],
  ['overlong UTF-8', basic(Buffer.from([0xc0, 0xba, 0x3a]))],
  ['a line feed', basic('a:b\n')],
  ['NUL', basic('a\0:b')],
  ['DEL', basic('a:\x7f')],
  ['a C1 control character', basic('a:\u0085')],
])('%s is malformed', (_name, header) => {
  const result = parseBasicHeader(header);
  expect(result.kind).toBe('malformed');
});

test('the whole header may be as long as the limit and no longer', () => {
  const fitting = basic('a:'.padEnd(378, 'x'));
  expect(fitting.length).toBeLessThanOrEqual(limits.basicHeaderBytesMax);
  expect(parseBasicHeader(fitting).kind).toBe('credentials');
  expect(parseBasicHeader(basic('a:'.padEnd(400, 'x'))).kind).toBe('malformed');
});

test('property: parsing never throws, and reads back what was encoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      parseBasicHeader(text);
      parseBasicHeader(`Basic ${text}`);
      parseBasicHeader(basic(text));
    }),
  );
  const printable = fc.string({ maxLength: 60 });
  fc.assert(
    fc.property(printable, printable, (userId, password) => {
      fc.pre(!userId.includes(':'));
      expect(parseBasicHeader(basic(`${userId}:${password}`))).toEqual(credentials(userId, password));
    }),
  );
});
