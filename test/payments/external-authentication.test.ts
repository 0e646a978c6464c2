import { externalAuthenticationOf } from '../../api/payments/external-authentication.js';

const metadata = { threeDSVersion: '2.2.0', eci: '05', cavv: 'AAABAQAAAAAAAAAAAAAAAAAAAAA=', dsTransactionId: 'ds-1' };

test.each([
  ['2.2.0', '2.2.0'],
  ['2.2', '2.2.0'],
  ['2.3.1', '2.3.1'],
  ['1.0.2', '1.0.2'],
  // The exact release is not known.
  ['1.0', '1.0'],
])('version %s of an external proof becomes %s', (threeDSVersion, version) =>
  expect(externalAuthenticationOf({ ...metadata, threeDSVersion })).toMatchObject({ version }),
);

test('an ECI of one digit gets a second digit', () =>
  expect(externalAuthenticationOf({ ...metadata, eci: '5' })).toMatchObject({ eci: '05' }));
