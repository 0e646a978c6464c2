import { externalAuthenticationOf } from '../../api/payments/external-authentication.js';

const metadata = { threeDSVersion: '2.2.0', eci: '05', cavv: 'AAABAQAAAAAAAAAAAAAAAAAAAAA=', dsTransactionId: 'ds-1' };

test.each([
  ['2.2.0', '2.2.0'],
  ['2.2', '2.2.0'],
  ['2.3.1', '2.3.1'],
  ['1.0.2', '1.0.2'],
  // Which release of it was meant is not known.
  ['1.0', '1.0'],
])('version %s of a proof of the merchant’s own is %s', (threeDSVersion, version) =>
  expect(externalAuthenticationOf({ ...metadata, threeDSVersion })).toMatchObject({ version }),
);

test('an eci of one digit has two', () =>
  expect(externalAuthenticationOf({ ...metadata, eci: '5' })).toMatchObject({ eci: '05' }));
