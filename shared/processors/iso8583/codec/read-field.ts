/** Reads one field from bytes. No read goes beyond the message; a short, long or malformed value is an error at its byte. */
import { type BcdPadding, type DigitEncoding, misfitAt, type TextEncoding } from '../profile/field-format.js';
import type { Field } from '../profile/profile.js';
import { bcdBytes, fromBcd } from './bcd.js';
import { CodecError } from './codec-error.js';
import { fromEbcdic } from './ebcdic.js';

/** The position up to which a message was read. */
export class Cursor {
  position = 0;
  field: CodecError['field'] = 'mti';

  constructor(private readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.position;
  }

  /** @throws {CodecError} when fewer than `count` bytes are left. */
  take(count: number): Buffer {
    if (count > this.left) throw this.error(`needs ${count} bytes, ${this.left} are left`);
    const start = this.position;
    this.position += count;
    return this.bytes.subarray(start, this.position);
  }

  error(problem: string, position = this.position): CodecError {
    return new CodecError(problem, position, this.field);
  }
}

export const readText = (cursor: Cursor, count: number, encoding: TextEncoding): string => {
  const bytes = cursor.take(count);
  return encoding === 'ebcdic' ? fromEbcdic(bytes) : bytes.toString('latin1');
};

export function readDigits(cursor: Cursor, count: number, encoding: DigitEncoding, padding: BcdPadding): string {
  const start = cursor.position;
  if (encoding !== 'bcd') return readText(cursor, count, encoding);
  const text = fromBcd(cursor.take(bcdBytes(count)), count, padding);
  if (text === undefined) throw cursor.error('the half byte that fills it up is another one', start);
  return text;
}

function readLength(cursor: Cursor, { lengthDigits, lengths }: Field): number {
  if (lengths === 'binary') {
    const bytes = cursor.take(lengthDigits <= 2 ? 1 : 2);
    return bytes.readUIntBE(0, bytes.length);
  }
  const start = cursor.position;
  const digits = readDigits(cursor, lengthDigits, lengths, 'left-0');
  if (!/^\d+$/.test(digits)) throw cursor.error('its length is no number', start);
  return Number(digits);
}

function readContent(cursor: Cursor, field: Field, count: number): string {
  const { kind, text, digits, binary, padding } = field;
  if (kind === 'b') {
    if (binary === 'raw') return cursor.take(count).toString('hex').toUpperCase();
    return readText(cursor, count * 2, text).toUpperCase();
  }
  if (digits === 'bcd' && kind === 'n') return readDigits(cursor, count, 'bcd', padding);
  if (digits === 'bcd' && kind === 'z') return readDigits(cursor, count, 'bcd', padding).replaceAll('D', '=');
  if (digits === 'bcd' && kind === 'x')
    return readText(cursor, 1, text) + readDigits(cursor, count - 1, 'bcd', padding);
  return readText(cursor, count, text);
}

/** @throws {CodecError} */
export function readField(cursor: Cursor, field: Field): string {
  const start = cursor.position;
  const count = field.lengthDigits === 0 ? field.length : readLength(cursor, field);
  if (count > field.length) throw cursor.error(`has length ${count}, more than ${field.length}`, start);
  const contentAt = cursor.position;
  const value = readContent(cursor, field, count);
  if (misfitAt(field.kind, value) >= 0) {
    throw cursor.error(`has a character that ${field.kind} does not allow`, contentAt);
  }
  return value;
}
