/** Draws the picture of a code: its modules by the `qrcode` package, written as a PNG of one bit per pixel (a fifth of the bytes). */
import { crc32, deflateSync } from 'node:zlib';
import { create } from 'qrcode';

/** Pixels per module, and the quiet zone (modules) that ISO/IEC 18004 requires. */
const SCALE = 6;
const QUIET_MODULES = 4;
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(named.length + 8);
  framed.writeUInt32BE(data.length, 0);
  named.copy(framed, 4);
  framed.writeUInt32BE(crc32(named), named.length + 4);
  return framed;
}

/** Returns the scan line of one row of modules, after its filter byte (none): a set bit is white. */
function scanLine(isDark: (column: number) => boolean, size: number): Buffer {
  const pixels = (size + 2 * QUIET_MODULES) * SCALE;
  const line = Buffer.alloc(1 + Math.ceil(pixels / 8), 0xff);
  line[0] = 0;
  for (let column = 0; column < size; column += 1) {
    if (!isDark(column)) continue;
    const from = (column + QUIET_MODULES) * SCALE;
    for (let pixel = from; pixel < from + SCALE; pixel += 1) {
      const at = 1 + (pixel >> 3);
      line[at] = (line[at] ?? 0) & ~(0x80 >> (pixel & 7));
    }
  }
  return line;
}

/** Returns a PNG in base64. Level M: enough error correction for a screen or a receipt. */
export function renderCode(payload: string): string {
  const { modules } = create(payload, { errorCorrectionLevel: 'M' });
  const { size } = modules;
  const side = (size + 2 * QUIET_MODULES) * SCALE;
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // One bit of grey per pixel; no interlace.
  header[8] = 1;
  const rows = Array.from({ length: size + 2 * QUIET_MODULES }, (_, row) => {
    const at = row - QUIET_MODULES;
    const inside = at >= 0 && at < size;
    return scanLine((column) => inside && modules.get(at, column) === 1, size);
  });
  const lines = Buffer.concat(rows.flatMap((line) => Array.from({ length: SCALE }, () => line)));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines)),
    chunk('IEND', Buffer.alloc(0)),
  ]).toString('base64');
}
