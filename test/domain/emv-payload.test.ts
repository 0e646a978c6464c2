import fc from 'fast-check';
import { checksum, fitsCode, merchantPresentedPayload } from '../../shared/domain/code/emv-payload.js';
import { readFields, readPayload } from '../support/read-emv.js';

const account = { scheme: 'com.example.instant', account: 'SANDBOX', reference: '5F0C2B1D3E4F5A6B7C8D9E0F' };
const payment = {
  account,
  merchantCategoryCode: '5942',
  currency: '840',
  amount: '12.50',
  country: 'UY',
  merchant: { id: 10001, name: 'Librería del Ñandú' },
  merchantCity: 'Montevideo',
  invoiceNumber: 'INV-1',
};

test('the checksum is CRC-16/CCITT-FALSE by its published check value and the example of the specification', () => {
  expect(checksum('123456789')).toBe('29B1');
  const example =
    '00020101021229300012D156000000000510A93FO3230Q31280012D15600000001030812345678520441115802CN5914BEST TRANSPORT6007BEIJING64200002ZH0104最佳运输0202北京540523.7253031565502016233030412340603***0708A60086670902ME91320016A0112233449988770708123456786304';
  expect(checksum(Buffer.from(example, 'utf8').toString('latin1'))).toBe('A13A');
});

test('every data object is in the order of the specification', () => {
  const fields = readPayload(merchantPresentedPayload(payment));
  expect([...fields.keys()]).toEqual(['00', '01', '26', '52', '53', '54', '58', '59', '60', '62', '63']);
  expect(fields.get('59')).toBe('Libreria del Nandu');
  expect(Object.fromEntries(readFields(fields.get('26') ?? ''))).toEqual({
    '00': account.scheme,
    '01': account.account,
    '05': account.reference,
  });
});

test('property: the payload can be read back for any name of the merchant', () => {
  const text = fc.string({ unit: 'binary', maxLength: 80 });
  fc.assert(
    fc.property(text, text, text, (name, merchantCity, invoiceNumber) => {
      const fields = readPayload(
        merchantPresentedPayload({ ...payment, merchant: { id: 10001, name }, merchantCity, invoiceNumber }),
      );
      const additional = readFields(fields.get('62') ?? '');
      expect(fields.get('59')?.length).toBeLessThanOrEqual(25);
      expect(fields.get('60')?.length).toBeLessThanOrEqual(15);
      expect(additional.get('01')?.length).toBeLessThanOrEqual(25);
      expect(additional.get('05')).toBe(account.reference);
    }),
  );
});

test('the checksum detects a changed character', () => {
  const payload = merchantPresentedPayload(payment);
  const changed = payload.replace('12.50', '12.51');
  expect(() => readPayload(changed)).toThrow('checksum');
});

test('text without representable characters is replaced by a placeholder', () => {
  const texts = { merchant: { id: 10001, name: '最佳' }, merchantCity: 'Αθήνα', invoiceNumber: '最佳' };
  const fields = readPayload(merchantPresentedPayload({ ...payment, ...texts }));
  const invoice = readFields(fields.get('62') ?? '').get('01');
  expect([fields.get('59'), fields.get('60'), invoice]).toEqual(['MERCHANT 10001', 'NA', '***']);
});

test('a value that is too long for a data object is refused', () => {
  expect(() => merchantPresentedPayload({ ...payment, account: { ...account, scheme: 'x'.repeat(100) } })).toThrow();
});

test('an amount of up to thirteen characters fits into a code', () => {
  expect(['9999999999.99', '99999999999.99'].map(fitsCode)).toEqual([true, false]);
});

test('a data object may be neither empty nor longer than 99 characters', () => {
  const payload = (scheme: string) => () => merchantPresentedPayload({ ...payment, account: { ...account, scheme } });
  expect(payload('')).toThrow('data object 00 has a length that it cannot have');
  expect(payload('x'.repeat(100))).toThrow('has a length that it cannot have');
});
