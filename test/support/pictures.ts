/** Builds pictures byte by byte: valid ones, and all kinds of invalid ones that an upload has to refuse. */
import { crc32, deflateSync } from 'node:zlib';

const bytes = (...list: number[]) => Buffer.from(list);
const be32 = (value: number) => {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32BE(value >>> 0);
  return buffer;
};
const le32 = (value: number) => Buffer.from(be32(value)).reverse();

export function pngChunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([be32(data.length), named, be32(crc32(named))]);
}

export const PNG_SIGNATURE = bytes(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
export const pngHeader = (width: number, height: number, depth = 8, colour = 2) =>
  pngChunk('IHDR', Buffer.concat([be32(width), be32(height), bytes(depth, colour, 0, 0, 0)]));
/** Pixels of a small picture. The checks never read them. */
export const pngData = (width = 2, height = 2) =>
  pngChunk('IDAT', deflateSync(Buffer.alloc(height * (1 + 3 * width), 7)));
export const PNG_END = pngChunk('IEND');

/** Builds a PNG with these chunks between header and end. */
export const pngOf = (...chunks: Uint8Array[]) => Buffer.concat([PNG_SIGNATURE, pngHeader(2, 2), ...chunks, PNG_END]);
export const png = () => pngOf(pngData());

export const segment = (marker: number, data: Uint8Array) =>
  Buffer.concat([bytes(0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff), data]);

export const JPEG_START = bytes(0xff, 0xd8);
export const JPEG_END = bytes(0xff, 0xd9);
export const jfif = (thumbnail: Uint8Array = Buffer.alloc(0), side = 0) =>
  segment(0xe0, Buffer.concat([Buffer.from('JFIF\0'), bytes(1, 2, 0, 0, 1, 0, 1, side, side), thumbnail]));
export const quantization = () => segment(0xdb, Buffer.concat([bytes(0), Buffer.alloc(64, 1)]));
export const huffman = () => segment(0xc4, Buffer.concat([bytes(0, 1), Buffer.alloc(15), bytes(0)]));
export const frame = (width: number, height: number, marker = 0xc0) =>
  segment(marker, bytes(8, height >> 8, height & 0xff, width >> 8, width & 0xff, 1, 1, 0x11, 0));
/** Builds a scan with a stuffed 0xFF and a restart marker in its data. */
export const scan = () =>
  Buffer.concat([segment(0xda, bytes(1, 1, 0, 0, 63, 0)), bytes(0x12, 0xff, 0x00, 0x34, 0xff, 0xd0, 0x56)]);

/** Builds a JPEG with these segments behind its first one. */
export const jpegOf = (...segments: Uint8Array[]) =>
  Buffer.concat([JPEG_START, jfif(), ...segments, quantization(), frame(2, 2), huffman(), scan(), JPEG_END]);
export const jpeg = () => jpegOf();

export const webpChunk = (type: string, data: Uint8Array) =>
  Buffer.concat([Buffer.from(type, 'latin1'), le32(data.length), data, Buffer.alloc(data.length % 2)]);
export const webpOf = (...chunks: Uint8Array[]) => {
  const content = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  return Buffer.concat([Buffer.from('RIFF'), le32(content.length), content]);
};
const le24 = (value: number) => le32(value).subarray(0, 3);
const le16 = (value: number) => le32(value).subarray(0, 2);

/** Builds a lossy picture whose first partition has `length` bytes. */
export const lossy = (width: number, height: number, length = 4) =>
  webpChunk(
    'VP8 ',
    Buffer.concat([le24((length << 5) | 0x10), bytes(0x9d, 0x01, 0x2a), le16(width), le16(height), Buffer.alloc(8, 5)]),
  );
export const lossless = (width: number, height: number) =>
  webpChunk('VP8L', Buffer.concat([bytes(0x2f), le32((width - 1) | ((height - 1) << 14)), bytes(1, 2, 3)]));
export const extended = (flags: number, width: number, height: number) =>
  webpChunk('VP8X', Buffer.concat([bytes(flags, 0, 0, 0), le24(width - 1), le24(height - 1)]));
export const alpha = () => webpChunk('ALPH', bytes(0, 1, 2, 3, 4));
export const webp = () => webpOf(lossy(2, 2));

export const SCRIPT = '<script>alert(document.domain)</script>';
const script = Buffer.from(SCRIPT);
const zip = Buffer.concat([
  Buffer.from('PK\x03\x04', 'latin1'),
  Buffer.alloc(26),
  Buffer.from('PK\x05\x06', 'latin1'),
  Buffer.alloc(18),
]);
const exif = (text: Buffer) => segment(0xe1, Buffer.concat([Buffer.from('Exif\0\0'), text]));
const badCrc = () => {
  const file = png();
  file[45] = (file[45] ?? 0) ^ 0xff;
  return file;
};

const cut = 'is cut short';
const behind = 'has data behind the end of the image';
const moving = 'must not be animated';
const large = 'must be at most 4096 by 4096 pixels';
const unknown = 'must be a PNG, JPEG or WebP image';
const empty = 'has no pixels';
const badPng = 'is not a well-formed PNG';
const badJpeg = 'is not a well-formed JPEG';
const badWebp = 'is not a well-formed WebP';

/** Files that must be refused, with the reason. */
export const refused: readonly (readonly [string, Buffer, string])[] = [
  ['nothing', Buffer.alloc(0), 'is empty'],
  ['an SVG', Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg">${SCRIPT}</svg>`), unknown],
  ['an SVG with an XML declaration', Buffer.from('<?xml version="1.0"?><svg/>'), unknown],
  ['a GIF', Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(20)]), unknown],
  ['a GIF that is a script', Buffer.from('GIF89a/*\0\0*/=1;alert(1)//'), unknown],
  ['HTML', Buffer.from(`<!doctype html>${SCRIPT}`), unknown],
  ['HTML in front of a PNG', Buffer.concat([script, png()]), unknown],
  ['a BMP', Buffer.concat([Buffer.from('BM'), Buffer.alloc(60)]), unknown],
  ['a PDF', Buffer.from('%PDF-1.7\n'), unknown],
  ['a ZIP', zip, unknown],
  ['an AVIF', Buffer.concat([be32(24), Buffer.from('ftypavif'), Buffer.alloc(12)]), unknown],
  ['a WAV in a RIFF', Buffer.concat([Buffer.from('RIFF'), le32(4), Buffer.from('WAVE')]), unknown],
  ['a PNG signature alone', PNG_SIGNATURE, cut],
  ['a PNG without its end', png().subarray(0, -12), cut],
  ['a PNG cut in its data', png().subarray(0, 50), cut],
  ['a PNG whose last byte is missing', png().subarray(0, -1), cut],
  ['a PNG with a broken CRC', badCrc(), badPng],
  ['a PNG with a ZIP behind it', Buffer.concat([png(), zip]), behind],
  ['a PNG with HTML behind it', Buffer.concat([png(), script]), behind],
  ['a PNG behind a PNG', Buffer.concat([png(), png()]), behind],
  ['an APNG', pngOf(pngChunk('acTL', Buffer.alloc(8)), pngChunk('fcTL', Buffer.alloc(26)), pngData()), moving],
  ['a PNG with a frame behind its picture', pngOf(pngData(), pngChunk('fdAT', Buffer.alloc(8))), moving],
  [
    'a PNG that claims 65535 by 65535',
    Buffer.concat([PNG_SIGNATURE, pngHeader(65535, 65535), pngData(), PNG_END]),
    large,
  ],
  ['a PNG that is 4097 wide', Buffer.concat([PNG_SIGNATURE, pngHeader(4097, 1), pngData(), PNG_END]), large],
  ['a PNG without width', Buffer.concat([PNG_SIGNATURE, pngHeader(0, 1), pngData(), PNG_END]), empty],
  ['a PNG of an impossible depth', Buffer.concat([PNG_SIGNATURE, pngHeader(2, 2, 3), pngData(), PNG_END]), badPng],
  ['a PNG without pixels', pngOf(), badPng],
  ['a PNG with two headers', pngOf(pngHeader(2, 2), pngData()), badPng],
  ['a PNG whose data is in two rows', pngOf(pngData(), pngChunk('tIME', Buffer.alloc(7)), pngData()), badPng],
  ['a PNG with a critical chunk of its own', pngOf(pngChunk('EVIL', script), pngData()), badPng],
  ['a palette PNG without palette', Buffer.concat([PNG_SIGNATURE, pngHeader(2, 2, 8, 3), pngData(), PNG_END]), badPng],
  ['a JPEG start alone', Buffer.from([0xff, 0xd8, 0xff]), cut],
  ['a JPEG without its end', jpeg().subarray(0, -2), cut],
  ['a JPEG cut in its tables', jpeg().subarray(0, 60), cut],
  ['a JPEG with a ZIP behind it', Buffer.concat([jpeg(), zip]), behind],
  ['a JPEG behind a JPEG', Buffer.concat([jpeg(), jpeg()]), behind],
  ['a JPEG without picture', Buffer.concat([JPEG_START, jfif(), JPEG_END]), badJpeg],
  ['a JPEG without scan', Buffer.concat([JPEG_START, quantization(), frame(2, 2), JPEG_END]), badJpeg],
  ['a JPEG with two frames', jpegOf(frame(2, 2)), badJpeg],
  ['a JPEG of 5000 by 5000', Buffer.concat([JPEG_START, frame(5000, 5000), scan(), JPEG_END]), large],
  ['a JPEG that leaves its height open', Buffer.concat([JPEG_START, frame(2, 0), scan(), JPEG_END]), empty],
  [
    'a lossless JPEG',
    Buffer.concat([JPEG_START, frame(2, 2, 0xc3), scan(), JPEG_END]),
    'is a JPEG of a kind that browsers do not show',
  ],
  ['a JPEG whose table holds a script', jpegOf(segment(0xdb, script)), badJpeg],
  ['a JPEG with text between its segments', jpegOf(script), badJpeg],
  ['a WebP cut short', webp().subarray(0, -3), cut],
  ['a WebP whose picture is cut', webpOf(lossy(2, 2, 4000)), cut],
  ['a WebP with HTML behind it', Buffer.concat([webp(), script]), behind],
  [
    'an animated WebP',
    webpOf(extended(0x02, 2, 2), webpChunk('ANIM', Buffer.alloc(6)), webpChunk('ANMF', Buffer.alloc(24))),
    moving,
  ],
  ['a WebP that says it moves', webpOf(extended(0x02, 2, 2), lossy(2, 2)), moving],
  ['a WebP of 16383 by 16383', webpOf(lossy(16383, 16383)), large],
  ['a lossless WebP that is 4097 high', webpOf(lossless(1, 4097)), large],
  ['a WebP whose canvas is not its picture', webpOf(extended(0, 1, 1), lossy(2, 2)), badWebp],
  ['a WebP with two pictures', webpOf(lossy(2, 2), lossy(2, 2)), badWebp],
  ['a WebP without picture', webpOf(), badWebp],
  ['a WebP that starts with something else', webpOf(webpChunk('EVIL', script), lossy(2, 2)), badWebp],
];

/** Files that must pass, with their format and the bytes that remain. */
export const accepted: readonly (readonly [string, Buffer, 'png' | 'jpeg' | 'webp', Buffer])[] = [
  ['a PNG', png(), 'png', png()],
  [
    'a PNG of the largest size',
    Buffer.concat([PNG_SIGNATURE, pngHeader(4096, 4096), pngData(), PNG_END]),
    'png',
    Buffer.concat([PNG_SIGNATURE, pngHeader(4096, 4096), pngData(), PNG_END]),
  ],
  ['a PNG in two pieces', pngOf(pngData(), pngData()), 'png', pngOf(pngData(), pngData())],
  [
    'a PNG with a palette',
    Buffer.concat([PNG_SIGNATURE, pngHeader(2, 2, 8, 3), pngChunk('PLTE', bytes(1, 2, 3)), pngData(), PNG_END]),
    'png',
    Buffer.concat([PNG_SIGNATURE, pngHeader(2, 2, 8, 3), pngChunk('PLTE', bytes(1, 2, 3)), pngData(), PNG_END]),
  ],
  ['a PNG with text', pngOf(pngChunk('tEXt', Buffer.from(`Comment\0${SCRIPT}`)), pngData()), 'png', png()],
  [
    'a PNG with EXIF and a chunk of its own',
    pngOf(pngChunk('eXIf', script), pngChunk('evIL', script), pngData()),
    'png',
    png(),
  ],
  ['a PNG with a script for a gamma', pngOf(pngChunk('gAMA', script), pngData()), 'png', png()],
  ['a JPEG', jpeg(), 'jpeg', jpeg()],
  [
    'a progressive JPEG',
    Buffer.concat([JPEG_START, frame(2, 2, 0xc2), scan(), scan(), JPEG_END]),
    'jpeg',
    Buffer.concat([JPEG_START, frame(2, 2, 0xc2), scan(), scan(), JPEG_END]),
  ],
  ['a JPEG with a script in its EXIF', jpegOf(exif(script)), 'jpeg', jpeg()],
  ['a JPEG with a script for a comment', jpegOf(segment(0xfe, script)), 'jpeg', jpeg()],
  [
    'a JPEG whose first segment is a script',
    Buffer.concat([JPEG_START, jfif(Buffer.alloc(0x2f2a - 16, '*/alert(1)/*')), jpeg().subarray(20)]),
    'jpeg',
    jpeg(),
  ],
  [
    'a JPEG with fill bytes',
    Buffer.concat([JPEG_START, Buffer.from([0xff, 0xff]), jpeg().subarray(2)]),
    'jpeg',
    jpeg(),
  ],
  ['a WebP', webp(), 'webp', webp()],
  ['a lossless WebP', webpOf(lossless(2, 2)), 'webp', webpOf(lossless(2, 2))],
  [
    'a WebP with alpha',
    webpOf(extended(0x10, 2, 2), alpha(), lossy(2, 2)),
    'webp',
    webpOf(extended(0x10, 2, 2), alpha(), lossy(2, 2)),
  ],
  [
    'a WebP with EXIF and XMP',
    webpOf(extended(0x0c, 2, 2), lossy(2, 2), webpChunk('EXIF', script), webpChunk('XMP ', script)),
    'webp',
    webp(),
  ],
];
