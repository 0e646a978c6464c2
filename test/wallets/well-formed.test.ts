/** BER that is one value to the last byte, and bytes that only look like BER. */
import { isWellFormed } from '../../shared/wallets/wallet-b/well-formed.js';
import { walletB } from './fixtures.js';

const hex = (text: string) => Buffer.from(text.replaceAll(' ', ''), 'hex');

test('the signatures of all accepted tokens are well-formed, with definite and indefinite lengths', () => {
  const signatures = walletB.tokens
    .filter(({ expected }) => expected.accept)
    .map(({ token }) => Buffer.from((JSON.parse(token).paymentData ?? JSON.parse(token)).signature, 'base64'));
  expect(new Set(signatures.map((bytes) => bytes.subarray(0, 2).toString('hex')))).toEqual(new Set(['3080', '3082']));
  expect(signatures.filter((bytes) => !isWellFormed(bytes))).toEqual([]);
});

test.each([
  '0500',
  '3000',
  '30 03 020105',
  '30 80 020105 0000',
  '30 80 30 80 0000 0000',
  '30 80 30 03 020100 0000',
  '04 8103 000000',
  'a0 04 0402 0000',
])('%s is well-formed', (text) => expect(isWellFormed(hex(text))).toBe(true));

test.each([
  ['nothing', ''],
  ['half a head', '30'],
  ['more behind it', '0500 00'],
  ['a value that is cut', '04 03 0000'],
  ['a part longer than the whole', '30 03 020205'],
  ['parts shorter than the whole', '30 04 020105'],
  ['no end', '30 80 020105'],
  ['half an end', '30 80 020105 00'],
  ['an end with a length', '30 80 020105 0001'],
  ['an end with a tag', '30 80 020105 2000'],
  ['an end where none is due', '30 02 0000'],
  ['a simple value of no length', '04 80 0000'],
  ['a length of a length that is none', '04 84 00000001 00'],
  ['a length longer than the bytes', '04 83 ffffff'],
  ['a tag of several bytes', '1f 8101 00'],
  ['a nest without an end', '3080'.repeat(2_000)],
])('%s is not well-formed', (_what, text) => expect(isWellFormed(hex(text))).toBe(false));
