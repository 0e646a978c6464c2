import type { Profile } from '../profile/profile.js';
import type { IsoMessage } from './message.js';
import { Cursor, readDigits, readField, readText } from './read-field.js';

const TPDU_BYTES = 5;
const BITMAP_BYTES = 8;
const HALF = 64;

function readBits(cursor: Cursor, { bitmap, text }: Profile): Buffer {
  if (bitmap === 'raw') return cursor.take(BITMAP_BYTES);
  const start = cursor.position;
  const digits = readText(cursor, BITMAP_BYTES * 2, text);
  if (!/^[0-9A-Fa-f]+$/.test(digits)) throw cursor.error('is not hexadecimal', start);
  return Buffer.from(digits, 'hex');
}

const numbersIn = (bits: Buffer, before: number): number[] => {
  const numbers: number[] = [];
  for (let bit = 0; bit < HALF; bit += 1) {
    if ((bits[bit >> 3] as number) & (0x80 >> (bit & 7))) numbers.push(before + bit + 1);
  }
  return numbers;
};

/** Reads the numbers of the fields that follow. The first bit of each half says whether another half follows. */
function readBitmap(cursor: Cursor, profile: Profile): number[] {
  cursor.field = 'bitmap';
  const first = numbersIn(readBits(cursor, profile), 0);
  if (first[0] !== 1) return first;
  const start = cursor.position;
  const second = numbersIn(readBits(cursor, profile), HALF);
  if (second[0] === HALF + 1) throw cursor.error('a third bitmap is not supported', start);
  return [...first.slice(1), ...second];
}

/**
 * Reads one message, without its length header.
 * @throws {CodecError} unless all of the bytes are a message of the profile, from the first to the last.
 */
export function decodeMessage(bytes: Buffer, profile: Profile): IsoMessage {
  const cursor = new Cursor(bytes);
  if (profile.framing.tpdu !== undefined) {
    cursor.field = 'tpdu';
    cursor.take(TPDU_BYTES);
    cursor.field = 'mti';
  }
  const start = cursor.position;
  const mti = readDigits(cursor, 4, profile.digits, profile.padding);
  if (!/^\d{4}$/.test(mti)) throw cursor.error('is not four digits', start);
  const fields: Record<number, string> = {};
  for (const number of readBitmap(cursor, profile)) {
    cursor.field = number;
    const field = profile.fields.get(number);
    if (!field) throw cursor.error('is not in the profile');
    fields[number] = readField(cursor, field);
  }
  cursor.field = 'end';
  if (cursor.left > 0) throw cursor.error(`${cursor.left} bytes follow the last field`);
  return { mti, fields };
}
