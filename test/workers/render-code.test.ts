/** Reads the picture back without the code that made it: decodes the PNG and compares its modules with those of the payload. */
import { inflateSync } from 'node:zlib';
import { create, toBuffer } from 'qrcode';
import { renderCode } from '../../workers/qr/render-code.js';

/** Reads the pixels of a PNG with one bit per pixel: true is dark. */
function readPng(png: Buffer): boolean[][] {
  const parts: Buffer[] = [];
  let side = 0;
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at);
    const type = png.toString('latin1', at + 4, at + 8);
    const data = png.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') {
      side = data.readUInt32BE(0);
      expect([data.readUInt32BE(4), data[8], data[9]]).toEqual([side, 1, 0]);
    }
    if (type === 'IDAT') parts.push(data);
    at += length + 12;
  }
  const bytes = inflateSync(Buffer.concat(parts));
  const stride = 1 + Math.ceil(side / 8);
  expect(bytes).toHaveLength(stride * side);
  return Array.from({ length: side }, (_, row) =>
    Array.from({ length: side }, (_pixel, column) => {
      const byte = bytes[row * stride + 1 + (column >> 3)] ?? 0;
      return ((byte >> (7 - (column & 7))) & 1) === 0;
    }),
  );
}

test.each(['A', '0'.repeat(200), 'x'.repeat(500)])('the picture has modules and quiet zone', (payload) => {
  const pixels = readPng(Buffer.from(renderCode(payload), 'base64'));
  const { modules } = create(payload, { errorCorrectionLevel: 'M' });
  const side = modules.size + 8;
  expect(pixels).toHaveLength(side * 6);
  for (const [y, row] of pixels.entries()) {
    for (const [x, dark] of row.entries()) {
      const [r, c] = [Math.floor(y / 6) - 4, Math.floor(x / 6) - 4];
      const inside = r >= 0 && c >= 0 && r < modules.size && c < modules.size;
      if (dark !== (inside && modules.get(r, c) === 1)) throw new Error(`pixel ${x},${y} is wrong`);
    }
  }
});

test('the picture is as wide as the picture of the package, and has fewer bytes', async () => {
  const own = Buffer.from(renderCode('HELLO'), 'base64');
  const theirs = await toBuffer('HELLO', { errorCorrectionLevel: 'M', scale: 6, margin: 4 });
  expect(own.readUInt32BE(16)).toBe(theirs.readUInt32BE(16));
  expect(own.length).toBeLessThan(theirs.length);
});
