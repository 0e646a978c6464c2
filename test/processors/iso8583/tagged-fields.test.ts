/** Places of values in tagged fields. */
import { fieldsOf, partsOf, valuesWithoutPlace } from '../../../shared/processors/iso8583/adapter/tagged-fields.js';
import { readProfile } from '../../../shared/processors/iso8583/profile/read-profile.js';

describe('a value that is longer than the digits of its length can say', () => {
  const format = { tagLength: 2, lengthDigits: 1 };
  const profile = readProfile({ name: 'x', extends: '1987-ascii', tagged: { 48: format, 62: format } });

  it('is left out when it only describes the payment; the other tags stay readable', () => {
    const fields = fieldsOf({ invoiceNumber: 'INV-9', email: 'ana@example.com', postalCode: '11000' }, profile);
    expect(fields).toEqual({ 62: '015INV-921511000' });
    expect(Object.fromEntries(partsOf(fields[62] ?? '', format))).toEqual({ '01': 'INV-9', 21: '11000' });
  });

  it('has no place when the payment would be another one without it', () => {
    expect(
      valuesWithoutPlace({ eci: '05', dsTransactionId: 'x'.repeat(36), email: 'ana@example.com' }, profile),
    ).toEqual(['dsTransactionId']);
  });
});
