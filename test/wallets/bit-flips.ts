/**
 * Which bits of something are flipped one by one. Every region has its share; `WALLET_FLIPS=all` (`npm run flips`) flips each
 * bit of each byte, which takes minutes.
 */
import * as asn1js from 'asn1js';

export interface Region {
  readonly name: string;
  readonly from: number;
  /** First byte after it. */
  readonly to: number;
}

/** Also where there are no regions. */
export const everyBit = process.env.WALLET_FLIPS === 'all';
/** For a test that flips bits, in ms. */
export const flipsTimeout = everyBit ? 1_800_000 : 60_000;

/** A region that is longer than this has its first byte flipped, its last one and one in the middle. */
const SHORT_BYTES = 8;

/** Each copy differs in one bit, which is in the region that it is named by. */
export function* flipped(bytes: Buffer, regions: readonly Region[]): Generator<{ region: string; changed: Buffer }> {
  const flip = (region: string, at: number, bit: number) => {
    const changed = Buffer.from(bytes);
    changed[at] = (changed[at] as number) ^ (1 << bit);
    return { region, changed };
  };
  for (const { name, from, to } of regions) {
    if (!everyBit) {
      yield flip(name, from, from % 8);
      if (to - from <= SHORT_BYTES) continue;
      yield flip(name, (from + to) >> 1, 0);
      yield flip(name, to - 1, to % 8);
      continue;
    }
    for (let at = from; at < to; at += 1) for (let bit = 0; bit < 8; bit += 1) yield flip(name, at, bit);
  }
}

/** Regions of so many bytes each, for what has no fields of its own. */
export const slices = (bytes: Buffer, size: number): Region[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => ({
    name: `slice ${at}`,
    from: at * size,
    to: Math.min((at + 1) * size, bytes.length),
  }));

/** Tags, lengths and values of all fields, named by their place: `0.3` is the fourth field of the first. */
export function asn1Regions(bytes: Buffer): Region[] {
  const walk = (node: asn1js.BaseBlock, from: number, name: string): Region[] => {
    const value = from + node.idBlock.blockLength + node.lenBlock.blockLength;
    const regions = [{ name: `${name} head`, from, to: value }];
    const fields = (node.valueBlock as { value?: unknown }).value;
    let at = value;
    if (node.idBlock.isConstructed && Array.isArray(fields)) {
      for (const [place, field] of (fields as asn1js.BaseBlock[]).entries()) {
        regions.push(...walk(field, at, name === '' ? String(place) : `${name}.${place}`));
        at += field.blockLength;
      }
    }
    // The value itself, or what ends a list of indefinite length.
    return [...regions, { name, from: at, to: from + node.blockLength }];
  };
  return walk(asn1js.fromBER(new Uint8Array(bytes)).result, 0, '').filter(({ from, to }) => to > from);
}

/** Each text in a JSON text, without its quotes and named by its member, each name with what is around it, and the rest. */
export function jsonRegions(text: string): Region[] {
  const at = (index: number) => Buffer.byteLength(text.slice(0, index));
  const found = [...text.matchAll(/("(\w+)"\s*:\s*)(?:"((?:[^"\\]|\\.)*)")?/g)].flatMap(
    ({ 1: before = '', 2: name = '', 3: value, index }): Region[] => {
      const start = index + before.length;
      const region = { name: `name ${name}`, from: at(index), to: at(start) };
      return value === undefined ? [region] : [region, { name, from: at(start + 1), to: at(start + 1 + value.length) }];
    },
  );
  const ends = [0, ...found.map(({ to }) => to)];
  const starts = [...found.map(({ from }) => from), at(text.length)];
  const between = ends.map((from, place) => ({ name: `between ${place}`, from, to: starts[place] as number }));
  return [...found, ...between].filter(({ from, to }) => to > from);
}
