import fc from 'fast-check';
import { inspectImage } from '../../api/merchants/image/image.js';
import { limits } from '../../config/limits.js';
import {
  accepted,
  jpeg,
  jpegOf,
  lossy,
  png,
  pngChunk,
  pngData,
  pngOf,
  refused,
  SCRIPT,
  segment,
  webp,
  webpChunk,
  webpOf,
} from '../support/pictures.js';

const SIDE_MAX = 4096;

test('the corpus is large enough', () => {
  expect(refused.length + accepted.length).toBeGreaterThanOrEqual(30);
});

test.each(refused)('%s is refused', (_name, file, problem) => {
  expect(inspectImage(file, SIDE_MAX)).toEqual({ problem });
});

test.each(accepted)('%s passes, and only the picture is left in it', (_name, file, type, left) => {
  const found = inspectImage(file, SIDE_MAX);
  if ('problem' in found) throw new Error(found.problem);
  expect(found.type).toBe(type);
  expect(Buffer.from(found.bytes).toString('hex')).toBe(left.toString('hex'));
  expect(Buffer.from(found.bytes).includes(SCRIPT)).toBe(false);
});

test.each(accepted)('%s does not change when it is cleaned again', (_name, _file, _type, left) => {
  const found = inspectImage(left, SIDE_MAX);
  expect('bytes' in found && Buffer.from(found.bytes).equals(left)).toBe(true);
});

const empty = Buffer.alloc(0);

// A caller would hold up the whole process by a million parts: each costs more than its bytes.
test.each([
  ['PNG', pngChunk('tEXt'), (parts: Buffer) => pngOf(pngData(), parts)],
  ['JPEG', segment(0xfe, empty), (parts: Buffer) => jpegOf(parts)],
  ['WebP', webpChunk('XMP ', empty), (parts: Buffer) => webpOf(lossy(2, 2), parts)],
])('a %s of more parts than any encoder writes is refused', (_format, part, pictureWith) => {
  const problem = `must have at most ${limits.logoPartsMax} chunks or segments`;
  const pictureOf = (parts: number) => pictureWith(Buffer.concat(Array.from({ length: parts }, () => part)));
  expect(inspectImage(pictureOf(limits.logoPartsMax), SIDE_MAX)).toEqual({ problem });
  expect(inspectImage(pictureOf(limits.logoPartsMax - 10), SIDE_MAX)).toHaveProperty('bytes');
});

const pictures = fc.constantFrom(png(), jpeg(), webp());

test('a picture that lost its end never passes', () => {
  fc.assert(
    fc.property(pictures, fc.double({ min: 0, max: 0.999, noNaN: true }), (file, share) => {
      expect(inspectImage(file.subarray(0, Math.floor(file.length * share)), SIDE_MAX)).toHaveProperty('problem');
    }),
  );
});

test('a picture with bytes behind it never passes', () => {
  fc.assert(
    fc.property(pictures, fc.uint8Array({ minLength: 1, maxLength: 50 }), (file, more) => {
      expect(inspectImage(Buffer.concat([file, more]), SIDE_MAX)).toHaveProperty('problem');
    }),
  );
});

test('any bytes give a picture or a reason, and a picture is no longer than its file', () => {
  const spoiled = fc
    .tuple(pictures, fc.array(fc.tuple(fc.nat(300), fc.nat(255)), { maxLength: 6 }))
    .map(([file, changes]) => {
      const copy = Buffer.from(file);
      for (const [at, byte] of changes) if (at < copy.length) copy[at] = byte;
      return copy;
    });
  fc.assert(
    fc.property(fc.oneof(spoiled, fc.uint8Array({ maxLength: 200 })), (file) => {
      const found = inspectImage(file, SIDE_MAX);
      if ('problem' in found) expect(found.problem).toMatch(/^(is|has|must) /);
      else expect(found.bytes.length).toBeLessThanOrEqual(file.length);
    }),
    { numRuns: 2_000 },
  );
});

test('a megabyte of markers is judged quickly', () => {
  const startedAt = performance.now();
  for (const filler of [0xff, 0x00, 0xd0]) {
    inspectImage(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(1024 * 1024, filler)]), SIDE_MAX);
    inspectImage(
      Buffer.concat([jpeg().subarray(0, -2), Buffer.alloc(1024 * 1024, Buffer.from([0xff, filler]))]),
      SIDE_MAX,
    );
  }
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
