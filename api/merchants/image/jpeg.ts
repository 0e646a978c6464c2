/** JPEG (ITU-T T.81) as browsers show it: baseline, extended sequential and progressive, 8 bits, Huffman coded. */
import { limits } from '../../../config/limits.js';
import { concat, name, startsWith, uint16 } from './byte-reader.js';
import { cutShort, dataBehind, type Format, type ReadImage, type Refusal, tooManyParts } from './format.js';

const START = [0xff, 0xd8] as const;
const EOI = 0xd9;
const SOS = 0xda;
const DQT = 0xdb;
const DRI = 0xdd;
const DHT = 0xc4;
const APP0 = 0xe0;
const ADOBE = 0xee;
const FRAMES: ReadonlySet<number> = new Set([0xc0, 0xc1, 0xc2]);
const isComment = (marker: number) => (marker >= 0xe0 && marker <= 0xef) || marker === 0xfe;
const isRestart = (marker: number) => marker >= 0xd0 && marker <= 0xd7;

const malformed: Refusal = { problem: 'is not a well-formed JPEG' };
const unsupported: Refusal = { problem: 'is a JPEG of a kind that browsers do not show' };

interface Segment {
  readonly marker: number;
  /** Without marker and length. */
  readonly data: Uint8Array;
  /** Position of the next byte. */
  readonly end: number;
}

/** Reads the segment at `at`. Any number of 0xFF may precede a marker (T.81, B.1.1.2). */
function segmentAt(bytes: Uint8Array, at: number): Segment | Refusal {
  if (bytes.length <= at) return cutShort;
  if (bytes[at] !== 0xff) return malformed;
  let markerAt = at + 1;
  while (bytes[markerAt] === 0xff) markerAt += 1;
  const marker = bytes[markerAt];
  if (marker === undefined) return cutShort;
  if (marker === EOI) return { marker, data: bytes.subarray(0, 0), end: markerAt + 1 };
  if (marker < 0xc0 || isRestart(marker) || marker === START[1]) return malformed;
  if (bytes.length < markerAt + 3) return cutShort;
  const length = uint16(bytes, markerAt + 1);
  const end = markerAt + 1 + length;
  if (length < 2) return malformed;
  if (end > bytes.length) return cutShort;
  return { marker, data: bytes.subarray(markerAt + 3, end), end };
}

/** Finds the end of the coded data that starts at `at`: before the first marker that is neither a stuffed 0xFF nor a restart. */
function endOfScan(bytes: Uint8Array, at: number): number {
  for (let index = at; ; index += 1) {
    index = bytes.indexOf(0xff, index);
    if (index < 0) return bytes.length;
    const next = bytes[index + 1];
    if (next === undefined) return bytes.length;
    if (next !== 0x00 && next !== 0xff && !isRestart(next)) return index;
    if (next !== 0xff) index += 1;
  }
}

/** Whether the data is quantization tables: each has a byte of precision and number, then 64 values of one or two bytes. */
function areQuantizationTables(data: Uint8Array): boolean {
  let at = 0;
  while (at < data.length) at += 1 + 64 * ((data[at] ?? 0) >> 4 === 0 ? 1 : 2);
  return at === data.length && at > 0;
}

/** Whether the data is Huffman tables: each has a byte of class and number, 16 counts, then as many values as the counts add up to. */
function areHuffmanTables(data: Uint8Array): boolean {
  let at = 0;
  while (at < data.length) at += 17 + data.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0);
  return at === data.length && at > 0;
}

function isFrame(data: Uint8Array): boolean {
  const [precision, , , , , components = 0] = data;
  return precision === 8 && [1, 3, 4].includes(components) && data.length === 6 + 3 * components;
}

const isScan = (data: Uint8Array) => data.length === 4 + 2 * (data[0] ?? 0);

const encode = (marker: number, data: Uint8Array) =>
  concat([Uint8Array.of(0xff, marker, (data.length + 2) >> 8, (data.length + 2) & 0xff), data]);

/** Keeps from an application segment only the density, and whether colours are CMYK; not thumbnails, EXIF or profiles. */
function cleanApplication({ marker, data }: Segment): Uint8Array | undefined {
  if (marker === APP0 && data.length >= 14 && name(data, 0, 5) === 'JFIF\0') {
    return encode(APP0, concat([data.subarray(0, 12), Uint8Array.of(0, 0)]));
  }
  if (marker === ADOBE && data.length === 12 && name(data, 0, 5) === 'Adobe') return encode(ADOBE, data);
  return undefined;
}

const tableChecks: Readonly<Record<number, (data: Uint8Array) => boolean>> = {
  [DQT]: areQuantizationTables,
  [DHT]: areHuffmanTables,
  [DRI]: (data) => data.length === 2,
};

/** State of one walk through a file. */
class Walk {
  readonly parts: Uint8Array[] = [Uint8Array.from(START)];
  frame: Uint8Array | undefined;
  scans = 0;

  constructor(readonly bytes: Uint8Array) {}

  /** Checks and keeps a segment. Returns the position of the next one. */
  take(segment: Segment): number | Refusal {
    const { marker, data, end } = segment;
    if (isComment(marker)) {
      const clean = cleanApplication(segment);
      if (clean) this.parts.push(clean);
      return end;
    }
    if (marker === SOS) return this.#takeScan(segment);
    if (FRAMES.has(marker)) {
      if (this.frame || !isFrame(data)) return malformed;
      this.frame = data;
    } else {
      const isRight = tableChecks[marker];
      if (!isRight) return unsupported;
      if (!isRight(data)) return malformed;
    }
    this.parts.push(encode(marker, data));
    return end;
  }

  #takeScan({ data, end }: Segment): number | Refusal {
    if (!this.frame || !isScan(data)) return malformed;
    this.scans += 1;
    const scanEnd = endOfScan(this.bytes, end);
    this.parts.push(encode(SOS, data), this.bytes.subarray(end, scanEnd));
    return scanEnd;
  }
}

function read(bytes: Uint8Array): ReadImage {
  const walk = new Walk(bytes);
  let at: number = START.length;
  for (let segments = 0; segments < limits.logoPartsMax; segments += 1) {
    const segment = segmentAt(bytes, at);
    if ('problem' in segment) return segment;
    if (segment.marker === EOI) {
      if (!walk.frame || walk.scans === 0) return malformed;
      if (segment.end !== bytes.length) return dataBehind;
      const [height, width] = [uint16(walk.frame, 1), uint16(walk.frame, 3)];
      return { width, height, bytes: concat([...walk.parts, Uint8Array.of(0xff, EOI)]) };
    }
    const next = walk.take(segment);
    if (typeof next !== 'number') return next;
    at = next;
  }
  return tooManyParts;
}

export const jpeg: Format = { recognizes: (bytes) => startsWith(bytes, [...START, 0xff]), read };
