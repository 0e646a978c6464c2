import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../../scripts/setup/paths.mjs';
import { maskMessage } from '../../../shared/processors/iso8583/codec/mask-message.js';
import { builtInProfiles } from '../../../shared/processors/iso8583/profile/built-in-profiles.js';
import { ProfileError } from '../../../shared/processors/iso8583/profile/profile-error.js';
import { builtInProfile, readProfile } from '../../../shared/processors/iso8583/profile/read-profile.js';

const PAN = '4242424242424242';

describe('the mask of messages', () => {
  it('hides card numbers, tracks, cvc, PIN and chip data in every field', () => {
    const profile = builtInProfile('1987-ascii');
    const fields = Object.fromEntries(
      [...profile.fields.values()].map(({ number, length }) => [number, `${PAN}=34121010000`.slice(0, length)]),
    );
    const masked = maskMessage({ mti: '0200', fields });
    // These fields hold amounts and the numbers of an original message.
    const numbers = [42, 86, 87, 88, 89, 90];
    const text = JSON.stringify(Object.entries(masked.fields).filter(([number]) => !numbers.includes(Number(number))));
    expect(text).not.toContain(PAN.slice(0, 13));
    for (const number of [14, 34, 35, 36, 45, 48, 52, 53, 55, 60, 61, 62, 63, 102, 127]) {
      expect(masked.fields[number]).toMatch(/^\(\d+ characters\)$/);
    }
  });

  it('keeps the fields that support needs', () => {
    const fields = {
      2: PAN,
      4: '000000001050',
      11: '000001',
      35: `${PAN}=3412`,
      39: '00',
      43: `SHOP ${PAN}`,
      90: '0'.repeat(42),
    };
    expect(maskMessage({ mti: '0210', fields }).fields).toEqual({
      2: '424242******4242',
      4: '000000001050',
      11: '000001',
      35: '(21 characters)',
      39: '00',
      43: '(21 characters)',
      90: '0'.repeat(42),
    });
    expect(maskMessage({ mti: '1420', fields: { 2: '12345', 56: '12000000012611222230591' } }).fields).toEqual({
      2: '(5 characters)',
      56: '12000000012611222230591',
    });
    expect(maskMessage({ mti: '0420', fields: { 56: '12' } }).fields).toEqual({ 56: '(2 characters)' });
  });
});

describe('a profile', () => {
  it.each(Object.keys(builtInProfiles))('%s is complete', (name) => {
    expect(builtInProfile(name)).toMatchObject({ name, mac: false });
  });

  it('extends another one and lists the differences', () => {
    const profile = readProfile({
      name: 'acme',
      extends: '1987-bcd',
      framing: { lengthBytes: 4, lengthEncoding: 'ascii' },
      fields: { 48: 'ans...255', 55: { format: 'b...255', binary: 'raw', lengths: 'ascii' }, 104: null },
      messages: { capture: { fields: { 25: '06', 22: null } } },
      places: { cvc: '44', eci: null },
      mac: true,
    });
    expect(profile.framing).toEqual({ lengthBytes: 4, lengthEncoding: 'ascii', lengthIncludesItself: false });
    expect(profile.fields.get(48)).toMatchObject({ kind: 'ans', length: 255, lengths: 'bcd' });
    expect(profile.fields.get(55)).toMatchObject({ kind: 'b', lengthDigits: 3, lengths: 'ascii' });
    expect(profile.fields.has(104)).toBe(false);
    expect(profile.messages.capture).toEqual({ mti: '0220', fields: { 3: '000000', 25: '06' } });
    expect(profile.places.cvc).toEqual({ field: 44 });
    expect(profile.places.eci).toBeUndefined();
    expect(profile.mac).toBe(true);
  });

  it('sets fields for every amount, or for an amount other than the original', () => {
    const captureOf = (messages: object) =>
      readProfile({ name: 'x', extends: '1993-ascii', messages }).messages.capture;
    expect(captureOf({})).toMatchObject({ fields: { 24: '201' }, otherAmount: { 24: '202' } });
    expect(captureOf({ capture: { mti: '1200' } })).toMatchObject({
      fields: { 24: '201' },
      otherAmount: { 24: '202' },
    });
    const changed = captureOf({ capture: { fields: { 24: '200' }, otherAmount: { 25: '1376' } } });
    expect(changed).toMatchObject({ fields: { 24: '200' }, otherAmount: { 25: '1376' } });
    expect(changed.otherAmount).not.toHaveProperty('24');
    expect(() => captureOf({ capture: { otherAmount: { 24: 'x' } } })).toThrow(/message capture .*field 24/);
  });

  it('may have constant bytes, and each place in a tag or a field of its own', () => {
    const profile = readProfile({
      name: 'x',
      extends: '1993-bcd',
      fields: { 52: 'b8' },
      messages: { keyExchange: { fields: { 52: '0123456789ABCDEF', 53: 'AB'.repeat(48) } } },
      places: { email: '63', phone: '60' },
    });
    expect(profile.messages.keyExchange.fields[52]).toBe('0123456789ABCDEF');
    expect(profile.places).toMatchObject({ email: { field: 63 }, phone: { field: 60 } });
  });

  it('may leave out the local time of 1987, and have an institution of fixed length', () => {
    const profile = readProfile({ name: 'x', extends: '1987-bcd', fields: { 12: null, 13: null, 32: 'n6' } });
    expect([12, 13].some((number) => profile.fields.has(number))).toBe(false);
  });

  it('is read from the example in docs/iso8583.md', () => {
    const page = readFileSync(join(root, 'docs/iso8583.md'), 'utf8');
    const [, block = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? [];
    const profile = readProfile(JSON.parse(block));
    expect(profile).toMatchObject({
      name: 'acme',
      framing: { tpdu: '6000030000' },
      places: { cvc: { field: 48, tag: '92' } },
    });
    // A change of one field leaves the others unchanged.
    expect(profile.places.invoiceNumber).toEqual({ field: 62, tag: '01' });
    expect(profile.tagged).toEqual({ 48: { tagLength: 2, lengthDigits: 3 }, 62: { tagLength: 2, lengthDigits: 3 } });
  });

  it.each([
    [{}, /"name" is required/],
    [{ name: 'x', extends: 'none' }, /"extends" is one of 1987-ascii/],
    [{ name: 'x', extends: '1987-ascii', fields: { 2: 'n.19' } }, /field 2: "n.19" is no format/],
    [{ name: 'x', extends: '1987-ascii', fields: { 2: 'n..190' } }, /field 2: "n..190" is no format/],
    [{ name: 'x', extends: '1987-ascii', fields: { 1: 'b8' } }, /"fields.1" is not allowed/],
    [{ name: 'x', extends: '1987-ascii', fields: { 37: null } }, /field 37 is missing/],
    [{ name: 'x', extends: '1987-ascii', fields: { 14: null } }, /field 14 is missing/],
    [{ name: 'x', extends: '1993-ascii', fields: { 12: null } }, /field 12 is missing/],
    [
      { name: 'x', extends: '1987-ascii', fields: { 4: 'n10' } },
      /message purchase \(0200\) .* field 4 has length 12, not 10/,
    ],
    [{ name: 'x', extends: '1987-ascii', fields: { 43: 'ans25' } }, /message purchase .* field 43 has length 40/],
    [{ name: 'x', extends: '1987-ascii', fields: { 90: 'n..30' } }, /message capture .* field 90 has length 42/],
    [{ name: 'x', extends: '1993-ascii', fields: { 12: 'n10' } }, /field 12 has length 12/],
    [{ name: 'x', extends: '1987-ascii', mac: true, fields: { 64: null } }, /field 64 is not in the profile/],
    [{ name: 'x', extends: '1987-ascii', messages: { echo: { fields: { 70: 'xyz' } } } }, /message echo .*field 70/],
    [{ name: 'x', extends: '1987-ascii', places: { cvc: '48.123' } }, /place cvc: "tagged"/],
    [{ name: 'x', extends: '1987-ascii', places: { cvc: '65' } }, /place cvc: field 65/],
    [{ name: 'x', extends: '1987-ascii', framing: { tpdu: '60' } }, /"framing.tpdu"/],
    [{ name: 'x', extends: '1987-ascii', tagged: { 48: { tagLength: 2 } } }, /"tagged.48.lengthDigits" is required/],
    [
      { name: 'x', extends: '1987-ascii', messages: { purchase: { mti: '0210' } } },
      /message purchase \(0210\): its last/,
    ],
    [
      { name: 'x', extends: '1987-ascii', messages: { capture: { mti: '0221' } } },
      /message capture \(0221\): its last/,
    ],
    [
      { name: 'x', extends: '1987-ascii', messages: { refund: { fields: { 11: '000001' } } } },
      /field 11 cannot be const/,
    ],
    [{ name: 'x', extends: '1987-ascii', places: { email: '4' } }, /place email: the gateway fills in field 4 itself/],
    [
      { name: 'x', extends: '1987-ascii', places: { email: '62.01' } },
      /email has the same place|invoiceNumber has the same/,
    ],
    [{ name: 'x', extends: '1987-ascii', places: { email: '62' } }, /place .*: .* has the same place/],
    [
      { name: 'x', extends: '1987-ascii', mac: true, fields: { 64: 'ans16' } },
      /field 64: an authentication code must have the format b8/,
    ],
  ])('is refused with what is wrong: %j', (file, message) => {
    expect(() => readProfile(file)).toThrow(ProfileError);
    expect(() => readProfile(file)).toThrow(message);
  });

  it('with an unknown name is an error that lists the known names', () => {
    expect(() => builtInProfile('2003')).toThrow(/1987-ascii, 1987-bcd/);
  });
});
