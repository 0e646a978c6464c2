/** WebP (RFC 9649): a RIFF container whose chunks hold one still picture, lossy (`VP8 `) or lossless (`VP8L`). */
import { limits } from '../../../config/limits.js';
import { concat, name, startsWith, uint16Le, uint24Le, uint32Le } from './byte-reader.js';
import { animated, cutShort, dataBehind, type Format, type ReadImage, type Refusal, tooManyParts } from './format.js';

const RIFF = [0x52, 0x49, 0x46, 0x46] as const;
const WEBP = [0x57, 0x45, 0x42, 0x50] as const;
const FIRST_CHUNK_AT = 12;
const EXTENDED_BYTES = 10;
const ANIMATION_FLAG = 0x02;
const ALPHA_FLAG = 0x10;
const VP8_START = [0x9d, 0x01, 0x2a] as const;
const VP8L_START = 0x2f;
const SIZE_BITS = 0x3fff;

const malformed: Refusal = { problem: 'is not a well-formed WebP' };

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Reads the size from a lossy key frame (RFC 6386, 9.1), and checks that its first partition is complete. */
function lossySize(data: Uint8Array): Size | Refusal {
  if (data.length < 10) return cutShort;
  const tag = uint24Le(data, 0);
  const isKeyFrame = (tag & 1) === 0;
  if (!isKeyFrame || !startsWith(data, VP8_START, 3)) return malformed;
  if (10 + (tag >> 5) > data.length) return cutShort;
  return { width: uint16Le(data, 6) & SIZE_BITS, height: uint16Le(data, 8) & SIZE_BITS };
}

function losslessSize(data: Uint8Array): Size | Refusal {
  if (data.length < 5) return cutShort;
  const version = (data[4] ?? 0) >> 5;
  if (data[0] !== VP8L_START || version !== 0) return malformed;
  const width = 1 + (uint16Le(data, 1) & SIZE_BITS);
  const height = 1 + ((uint24Le(data, 2) >> 6) & SIZE_BITS);
  return { width, height };
}

const pictures: Readonly<Record<string, (data: Uint8Array) => Size | Refusal>> = {
  'VP8 ': lossySize,
  VP8L: losslessSize,
};

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
}

function chunksOf(bytes: Uint8Array): Chunk[] | Refusal {
  const chunks: Chunk[] = [];
  for (let at = FIRST_CHUNK_AT; at < bytes.length; ) {
    if (bytes.length - at < 8) return cutShort;
    if (chunks.length === limits.logoPartsMax) return tooManyParts;
    const size = uint32Le(bytes, at + 4);
    const end = at + 8 + size;
    // A chunk of odd size is followed by a padding byte.
    if (end + (size % 2) > bytes.length) return cutShort;
    chunks.push({ type: name(bytes, at, 4), data: bytes.subarray(at + 8, end) });
    at = end + (size % 2);
  }
  return chunks;
}

const littleEndian = (value: number, bytes: number) =>
  Uint8Array.from({ length: bytes }, (_, index) => Math.floor(value / 256 ** index) & 0xff);

function encode({ type, data }: Chunk): Uint8Array {
  const head = concat([Uint8Array.from(type, (char) => char.charCodeAt(0)), littleEndian(data.length, 4)]);
  return concat([head, data, new Uint8Array(data.length % 2)]);
}

/** Builds the smallest file with this picture: only a lossy picture with an alpha chunk needs the extended form. */
function rebuild(picture: Chunk, alpha: Chunk | undefined, { width, height }: Size): Uint8Array {
  const extended = concat([
    Uint8Array.of(ALPHA_FLAG, 0, 0, 0),
    littleEndian(width - 1, 3),
    littleEndian(height - 1, 3),
  ]);
  const chunks = alpha && picture.type === 'VP8 ' ? [{ type: 'VP8X', data: extended }, alpha, picture] : [picture];
  const content = concat([Uint8Array.from(WEBP), ...chunks.map(encode)]);
  return concat([Uint8Array.from(RIFF), littleEndian(content.length, 4), content]);
}

/** Checks that an extended header comes first and that its canvas has the size of the picture. */
function checkExtended(chunks: readonly Chunk[], size: Size): Refusal | undefined {
  const [first] = chunks;
  const extended = chunks.filter(({ type }) => type === 'VP8X');
  if (extended.length === 0) return first && first.type in pictures ? undefined : malformed;
  if (extended.length > 1 || first?.type !== 'VP8X' || first.data.length !== EXTENDED_BYTES) return malformed;
  const canvas = { width: 1 + uint24Le(first.data, 4), height: 1 + uint24Le(first.data, 7) };
  return canvas.width === size.width && canvas.height === size.height ? undefined : malformed;
}

const isAnimated = ({ type, data }: Chunk) =>
  type === 'ANIM' || type === 'ANMF' || (type === 'VP8X' && ((data[0] ?? 0) & ANIMATION_FLAG) !== 0);

function read(bytes: Uint8Array): ReadImage {
  const length = uint32Le(bytes, 4) + 8;
  if (length > bytes.length) return cutShort;
  if (length < bytes.length) return dataBehind;
  const chunks = chunksOf(bytes);
  if ('problem' in chunks) return chunks;
  if (chunks.some(isAnimated)) return animated;
  const [picture, second] = chunks.filter(({ type }) => Object.hasOwn(pictures, type));
  const alphas = chunks.filter(({ type }) => type === 'ALPH');
  const size = picture && pictures[picture.type]?.(picture.data);
  if (!size || second || alphas.length > 1) return malformed;
  if ('problem' in size) return size;
  return checkExtended(chunks, size) ?? { ...size, bytes: rebuild(picture, alphas[0], size) };
}

export const webp: Format = {
  recognizes: (bytes) => startsWith(bytes, RIFF) && startsWith(bytes, WEBP, 8),
  read,
};
