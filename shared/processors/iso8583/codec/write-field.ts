/** Writes one field as bytes. */

import { misfitAt, type TextEncoding } from '../profile/field-format.js';
import type { Field, Profile } from '../profile/profile.js';
import { toBcd } from './bcd.js';
import { CodecError } from './codec-error.js';
import { toEbcdic } from './ebcdic.js';

export const writeText = (text: string, encoding: TextEncoding): Buffer =>
  encoding === 'ebcdic' ? toEbcdic(text) : Buffer.from(text, 'latin1');

/** Writes a fixed number of digits outside any field: the message type. */
export const writeDigits = (
  digits: string,
  { digits: encoding, padding }: Pick<Profile, 'digits' | 'padding'>,
): Buffer => (encoding === 'bcd' ? toBcd(digits, padding) : writeText(digits, encoding));

function writeLength(length: number, { lengthDigits, lengths }: Field): Buffer {
  const digits = String(length).padStart(lengthDigits, '0');
  if (lengths === 'bcd') return toBcd(digits, 'left-0');
  if (lengths !== 'binary') return writeText(digits, lengths);
  const bytes = Buffer.alloc(lengthDigits <= 2 ? 1 : 2);
  bytes.writeUIntBE(length, 0, bytes.length);
  return bytes;
}

function writeContent(value: string, { kind, text, digits, binary, padding }: Field): Buffer {
  if (kind === 'b') return binary === 'raw' ? Buffer.from(value, 'hex') : writeText(value, text);
  if (digits === 'bcd' && (kind === 'n' || kind === 'z')) return toBcd(value, padding);
  if (digits === 'bcd' && kind === 'x') {
    return Buffer.concat([writeText(value.slice(0, 1), text), toBcd(value.slice(1), padding)]);
  }
  return writeText(value, text);
}

/**
 * @throws {CodecError} for a value that does not fit the format: values are never cut or padded here.
 * @param position where the field begins, for the error
 */
export function writeField(field: Field, value: string, position: number): Buffer {
  const { kind, length, lengthDigits, number } = field;
  const units = kind === 'b' ? value.length / 2 : value.length;
  if (!Number.isInteger(units)) throw new CodecError('half a byte', position, number);
  if (lengthDigits === 0 && units !== length)
    throw new CodecError(`has length ${units}, not ${length}`, position, number);
  if (units > length) throw new CodecError(`has length ${units}, more than ${length}`, position, number);
  if (misfitAt(kind, value) >= 0) throw new CodecError(`has a character that ${kind} does not allow`, position, number);
  const content = writeContent(value, field);
  return lengthDigits === 0 ? content : Buffer.concat([writeLength(units, field), content]);
}
