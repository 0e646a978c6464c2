/** Converts printable ASCII to and from EBCDIC code page 1047, which differs from 037 only in brackets and the caret. */
const FIRST = 0x20;

/** EBCDIC codes of the characters from space to tilde. */
const codes = Buffer.from(
  '405a7f7b5b6c507d4d5d5c4e6b604b61' +
    'f0f1f2f3f4f5f6f7f8f97a5e4c7e6e6f' +
    '7cc1c2c3c4c5c6c7c8c9d1d2d3d4d5d6' +
    'd7d8d9e2e3e4e5e6e7e8e9ade0bd5f6d' +
    '79818283848586878889919293949596' +
    '979899a2a3a4a5a6a7a8a9c04fd0a1',
  'hex',
);
const UNKNOWN = 0;
const back = Buffer.alloc(256, UNKNOWN);
for (const [index, code] of codes.entries()) back[code] = FIRST + index;

/** Converts to EBCDIC. The caller has checked that the text is printable ASCII. */
export function toEbcdic(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  for (const [index, byte] of bytes.entries()) bytes[index] = codes[byte - FIRST] as number;
  return bytes;
}

/** Converts from EBCDIC. A byte without a counterpart becomes U+0000, which no kind of field allows. */
export function fromEbcdic(bytes: Buffer): string {
  const text = Buffer.alloc(bytes.length);
  for (const [index, byte] of bytes.entries()) text[index] = back[byte] as number;
  return text.toString('latin1');
}
