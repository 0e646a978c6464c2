/** Messages of a profile with any fields of any fitting value. */
import fc from 'fast-check';
import type { IsoMessage } from '../../../shared/processors/iso8583/codec/message.js';
import type { FieldKind } from '../../../shared/processors/iso8583/profile/field-format.js';
import type { Field, Profile } from '../../../shared/processors/iso8583/profile/profile.js';

const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).join('');
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz ';
const alphabets: Readonly<Record<FieldKind, string>> = {
  n: '0123456789',
  a: letters,
  an: `${letters}0123456789`,
  ans: printable,
  z: '0123456789=',
  x: '0123456789',
  b: '0123456789ABCDEF',
};
/** Long fields are not filled: what matters happens at their ends. */
const LENGTH_TRIED = 40;

const textOf = (alphabet: string, minLength: number, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength, maxLength });

function arbitraryValue({ kind, length, lengthDigits }: Field): fc.Arbitrary<string> {
  const [min, max] = lengthDigits === 0 ? [length, length] : [kind === 'x' ? 1 : 0, Math.min(length, LENGTH_TRIED)];
  if (kind === 'b')
    return fc
      .uint8Array({ minLength: min, maxLength: max })
      .map((bytes) => Buffer.from(bytes).toString('hex').toUpperCase());
  if (kind !== 'x') return textOf(alphabets[kind], min, max);
  return fc
    .tuple(fc.constantFrom('C', 'D'), textOf(alphabets.x, min - 1, max - 1))
    .map(([sign, digits]) => sign + digits);
}

export function arbitraryMessage({ fields }: Profile): fc.Arbitrary<IsoMessage> {
  const some = fc.uniqueArray(fc.constantFrom(...fields.values()), { maxLength: 12 });
  const values = some.chain((chosen) =>
    fc.tuple(...chosen.map((field) => arbitraryValue(field).map((value) => [field.number, value] as const))),
  );
  return fc
    .tuple(textOf(alphabets.n, 4, 4), values)
    .map(([mti, entries]) => ({ mti, fields: Object.fromEntries(entries) }));
}
