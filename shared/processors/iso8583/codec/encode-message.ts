import type { Profile } from '../profile/profile.js';
import { CodecError } from './codec-error.js';
import { FIELD_MAX, type IsoMessage } from './message.js';
import { writeDigits, writeField, writeText } from './write-field.js';

const HALF = 64;

function bitmapOf(numbers: readonly number[], { bitmap, text }: Profile): Buffer {
  const long = numbers.some((number) => number > HALF);
  const bits = Buffer.alloc(long ? FIELD_MAX / 8 : HALF / 8);
  for (const number of long ? [1, ...numbers] : numbers) {
    const at = (number - 1) >> 3;
    bits[at] = (bits[at] as number) | (0x80 >> ((number - 1) & 7));
  }
  return bitmap === 'raw' ? bits : writeText(bits.toString('hex').toUpperCase(), text);
}

/**
 * Encodes a message as bytes, without its length header.
 * @throws {CodecError} for a field that the profile does not have, or a value that does not fit it.
 */
export function encodeMessage({ mti, fields }: IsoMessage, profile: Profile): Buffer {
  if (!/^\d{4}$/.test(mti)) throw new CodecError('is not four digits', 0, 'mti');
  const numbers = Object.keys(fields)
    .map(Number)
    .sort((a, b) => a - b);
  const { tpdu } = profile.framing;
  const parts = [
    ...(tpdu === undefined ? [] : [Buffer.from(tpdu, 'hex')]),
    writeDigits(mti, profile),
    bitmapOf(numbers, profile),
  ];
  let position = parts.reduce((sum, { length }) => sum + length, 0);
  for (const number of numbers) {
    const field = profile.fields.get(number);
    if (!field) throw new CodecError('is not in the profile', position, number);
    const part = writeField(field, fields[number] as string, position);
    parts.push(part);
    position += part.length;
  }
  return Buffer.concat(parts, position);
}
