/**
 * A small reader of EMV merchant-presented payloads, written from the specification and independently of the writer: ids, lengths,
 * templates and the checksum (by table, whereas the writer shifts bits).
 */
const table = Array.from({ length: 256 }, (_, byte) => {
  let rest = byte * 256;
  for (let bit = 0; bit < 8; bit += 1) rest = rest >= 32_768 ? ((rest * 2) % 65_536) ^ 0x1021 : rest * 2;
  return rest;
});

function crc16(bytes: Buffer): number {
  let crc = 65_535;
  for (const byte of bytes) crc = ((crc * 256) % 65_536) ^ (table[Math.floor(crc / 256) ^ byte] ?? 0);
  return crc;
}

/** Reads data objects by id. @throws when the text is not a sequence of data objects, or contains one twice */
export function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 0; at < text.length; ) {
    const head = /^(\d{2})(\d{2})/.exec(text.slice(at, at + 4));
    if (!head) throw new Error(`no data object at ${at}`);
    const [, id = '', length = ''] = head;
    const value = text.slice(at + 4, at + 4 + Number(length));
    if (value.length !== Number(length) || value.length === 0) throw new Error(`data object ${id} is cut off`);
    if (fields.has(id)) throw new Error(`data object ${id} is there twice`);
    fields.set(id, value);
    at += 4 + Number(length);
  }
  return fields;
}

/** Reads the payload's data objects after verifying its checksum. */
export function readPayload(text: string): Map<string, string> {
  const bytes = Buffer.from(text, 'latin1');
  const expected = crc16(bytes.subarray(0, bytes.length - 4));
  const fields = readFields(text);
  if (Number.parseInt(fields.get('63') ?? '', 16) !== expected) throw new Error('the checksum is wrong');
  if ([...fields.keys()][0] !== '00' || [...fields.keys()].at(-1) !== '63')
    throw new Error('first or last object is wrong');
  return fields;
}
