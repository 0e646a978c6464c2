/** PNG (W3C PNG Third Edition): a signature, then chunks of length, type, data and CRC up to IEND. */
import { limits } from '../../../config/limits.js';
import { concat, name, startsWith, uint32 } from './byte-reader.js';
import { crc32 } from './crc32.js';
import { animated, cutShort, dataBehind, type Format, type ReadImage, type Refusal, tooManyParts } from './format.js';

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a] as const;
/** Length, type and CRC of a chunk (bytes). */
const FRAME_BYTES = 12;
const HEADER_BYTES = 13;

/** Chunks that are kept, with the largest meaningful size of their data (bytes). Larger ones and all others are dropped. */
const keptBytesMax: Readonly<Record<string, number>> = {
  IHDR: HEADER_BYTES,
  PLTE: 768,
  IDAT: Number.POSITIVE_INFINITY,
  IEND: 0,
  tRNS: 256,
  bKGD: 6,
  cHRM: 32,
  gAMA: 4,
  pHYs: 9,
  sBIT: 4,
  sRGB: 1,
};
const ANIMATION: ReadonlySet<string> = new Set(['acTL', 'fcTL', 'fdAT']);
/** Bit depths by colour type. */
const depths: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
};
const PALETTE_COLOUR = 3;

interface Chunk {
  readonly type: string;
  readonly data: Uint8Array;
  /** The chunk with its length, type and CRC. */
  readonly whole: Uint8Array;
}

const malformed: Refusal = { problem: 'is not a well-formed PNG' };

function chunkAt(bytes: Uint8Array, at: number): Chunk | Refusal {
  if (bytes.length - at < FRAME_BYTES) return cutShort;
  const end = at + FRAME_BYTES + uint32(bytes, at);
  const type = name(bytes, at + 4, 4);
  if (!/^[A-Za-z]{4}$/.test(type)) return malformed;
  if (end > bytes.length) return cutShort;
  if (crc32(bytes.subarray(at + 4, end - 4)) !== uint32(bytes, end - 4)) return malformed;
  return { type, data: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) };
}

/** Returns all chunks up to IEND, which must end the file. */
function chunksOf(bytes: Uint8Array): Chunk[] | Refusal {
  const chunks: Chunk[] = [];
  for (let at: number = SIGNATURE.length; ; ) {
    const chunk = chunkAt(bytes, at);
    if ('problem' in chunk) return chunk;
    if (ANIMATION.has(chunk.type)) return animated;
    if (chunks.length === limits.logoPartsMax) return tooManyParts;
    chunks.push(chunk);
    at += chunk.whole.length;
    if (chunk.type === 'IEND') return at === bytes.length ? chunks : dataBehind;
  }
}

function isHeader({ type, data }: Chunk): boolean {
  if (type !== 'IHDR' || data.length !== HEADER_BYTES) return false;
  const [depth = 0, colour = 0, compression, filter, interlace = 0] = data.subarray(8);
  return (depths[colour]?.includes(depth) ?? false) && compression === 0 && filter === 0 && interlace <= 1;
}

/** Whether the critical chunks are complete and in order: one IHDR, at most one PLTE, then consecutive IDATs, then IEND. */
function isInOrder(chunks: readonly Chunk[]): boolean {
  // An upper-case first letter marks a chunk without which the picture cannot be shown.
  const critical = chunks.filter(({ type }) => /^[A-Z]/.test(type)).map(({ type }) => type);
  const firstData = chunks.findIndex(({ type }) => type === 'IDAT');
  const lastData = chunks.findLastIndex(({ type }) => type === 'IDAT');
  const inOneRow = chunks.slice(firstData, lastData + 1).every(({ type }) => type === 'IDAT');
  return inOneRow && /^IHDR (PLTE )?(IDAT )+IEND $/.test(`${critical.join(' ')} `);
}

function isPaletteRight(chunks: readonly Chunk[], colour: number): boolean {
  const palette = chunks.find(({ type }) => type === 'PLTE');
  if (!palette) return colour !== PALETTE_COLOUR;
  const { length } = palette.data;
  return length > 0 && length % 3 === 0 && length <= 768 && colour !== 0 && colour !== 4;
}

function read(bytes: Uint8Array): ReadImage {
  const chunks = chunksOf(bytes);
  if ('problem' in chunks) return chunks;
  const [header] = chunks;
  if (!header || !isHeader(header) || !isInOrder(chunks)) return malformed;
  if (!isPaletteRight(chunks, header.data[9] ?? 0)) return malformed;
  const kept = chunks.filter(({ type, data }) => data.length <= (keptBytesMax[type] ?? -1));
  return {
    width: uint32(header.data, 0),
    height: uint32(header.data, 4),
    bytes: concat([Uint8Array.from(SIGNATURE), ...kept.map(({ whole }) => whole)]),
  };
}

export const png: Format = { recognizes: (bytes) => startsWith(bytes, SIGNATURE), read };
