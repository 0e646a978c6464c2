import fc from 'fast-check';
import { CodecError } from '../../../shared/processors/iso8583/codec/codec-error.js';
import { decodeMessage } from '../../../shared/processors/iso8583/codec/decode-message.js';
import { encodeMessage } from '../../../shared/processors/iso8583/codec/encode-message.js';
import { createFrameReader, frameMessage } from '../../../shared/processors/iso8583/codec/frame.js';
import type { IsoMessage } from '../../../shared/processors/iso8583/codec/message.js';
import { builtInProfiles } from '../../../shared/processors/iso8583/profile/built-in-profiles.js';
import { builtInProfile, readProfile } from '../../../shared/processors/iso8583/profile/read-profile.js';
import { arbitraryMessage } from './arbitrary-messages.js';

/** Number of mutations for each of the six profiles. A long run sets more (`ISO8583_MUTATIONS=100000`). */
const MUTATIONS = Number(process.env.ISO8583_MUTATIONS ?? 500);
const ROUND_TRIPS = Math.max(100, MUTATIONS / 10);
/** Reading a message takes microseconds. If it takes this long (ms), the decoder hangs. */
const HANG_MS = 5_000;
const LONG_MS = 600_000;

const names = Object.keys(builtInProfiles);
const purchase: IsoMessage = {
  mti: '0200',
  fields: { 2: '4242424242424242', 3: '000000', 4: '000000001050', 11: '000001', 41: 'TERM0001', 49: '840', 70: '001' },
};

function failure(run: () => unknown): CodecError {
  try {
    run();
  } catch (error) {
    if (error instanceof CodecError) return error;
    throw error;
  }
  throw new Error('nothing was wrong with it');
}

describe.each(names)('messages of %s', (name) => {
  const profile = builtInProfile(name);
  /** Size of one half of the bitmap (bytes). */
  const halfOfBitmap = profile.bitmap === 'raw' ? 8 : 16;

  it('are the same after encoding and decoding', () => {
    fc.assert(
      fc.property(arbitraryMessage(profile), (message) => {
        expect(decodeMessage(encodeMessage(message, profile), profile)).toEqual(message);
      }),
      { numRuns: ROUND_TRIPS },
    );
  });

  it('are refused when they are cut or too long', () => {
    const bytes = encodeMessage(purchase, profile);
    for (let length = 0; length < bytes.length; length += 1) {
      const error = failure(() => decodeMessage(bytes.subarray(0, length), profile));
      expect(error.position).toBeLessThanOrEqual(length);
    }
    const error = failure(() => decodeMessage(Buffer.concat([bytes, Buffer.from('0')]), profile));
    expect(error).toMatchObject({ field: 'end', position: bytes.length });
  });

  it(
    'with changed bytes are read or refused quickly, and the error does not quote them',
    () => {
      let refused = 0;
      const mutation = fc.record({ at: fc.nat(), byte: fc.integer({ min: 0, max: 255 }), how: fc.nat(3) });
      fc.assert(
        fc.property(
          arbitraryMessage(profile),
          fc.array(mutation, { minLength: 1, maxLength: 4 }),
          (message, changes) => {
            let bytes = encodeMessage(message, profile);
            for (const { at, byte, how } of changes) {
              const place = at % (bytes.length + 1);
              const [before, after] = [bytes.subarray(0, place), bytes.subarray(place)];
              const one = Buffer.from([byte]);
              bytes = Buffer.concat(
                [[before, one, after.subarray(1)], [before, one, after], [before, after.subarray(1)], [before]][
                  how
                ] as Buffer[],
              );
            }
            const startedMs = performance.now();
            try {
              const read = decodeMessage(bytes, profile);
              // A message has only one encoding, except for the case of hexadecimal digits and a second half of the bitmap that is present
              // but empty.
              const again = encodeMessage(read, profile);
              expect([0, halfOfBitmap]).toContain(bytes.length - again.length);
              expect(decodeMessage(again, profile)).toEqual(read);
            } catch (error) {
              if (!(error instanceof CodecError)) throw error;
              refused += 1;
              expect(error.position).toBeLessThanOrEqual(bytes.length);
              expect(error.message).toMatch(/^(field \d+|mti|bitmap|end) at byte \d+: [ -~]{1,60}$/);
            }
            expect(performance.now() - startedMs).toBeLessThan(HANG_MS);
          },
        ),
        { numRuns: MUTATIONS },
      );
      expect(refused).toBeGreaterThan(MUTATIONS / 4);
    },
    LONG_MS,
  );
});

describe('one message', () => {
  const profile = builtInProfile('1987-ascii');

  it('is encoded as the standard says', () => {
    expect(encodeMessage({ mti: '0800', fields: { 11: '000007', 70: '301' } }, profile).toString()).toBe(
      '0800' + '80200000000000000400000000000000' + '000007' + '301',
    );
    // Some hosts always send both halves of the bitmap.
    const both = Buffer.from('0800' + '80200000000000000000000000000000' + '000007');
    expect(decodeMessage(both, profile)).toEqual({ mti: '0800', fields: { 11: '000007' } });
    const bcd = builtInProfile('1987-bcd');
    expect(encodeMessage({ mti: '0200', fields: { 2: '42424242424242420', 23: '001' } }, bcd).toString('hex')).toBe(
      '0200' + '4000020000000000' + '17' + '424242424242424200' + '0001',
    );
    const ebcdic = builtInProfile('1987-ebcdic');
    expect(encodeMessage({ mti: '0800', fields: { 39: '0A' } }, ebcdic).toString('hex')).toBe(
      'f0f8f0f0' + '0000000002000000' + 'f0c1',
    );
  });

  it.each([
    ['a short fixed field', { 3: '00000' }, 3, /has length 5, not 6/],
    ['a long variable field', { 2: '1'.repeat(20) }, 2, /has length 20, more than 19/],
    ['letters in a number', { 4: '00000000105O' }, 4, /a character that n does not allow/],
    ['a field of no profile', { 65: '1' }, 65, /not in the profile/],
    ['half a byte', { 52: 'ABC' }, 52, /half a byte/],
    ['a sign that is none', { 28: 'E00000001' }, 28, /a character that x does not allow/],
    ['a line break', { 43: `${'x'.repeat(39)}\n` }, 43, /a character that ans does not allow/],
  ])('is not written with %s', (_what, fields, field, message) => {
    expect(failure(() => encodeMessage({ mti: '0200', fields }, profile))).toMatchObject({
      field,
      message: expect.stringMatching(message),
    });
  });

  it('is refused with the position of the wrong byte', () => {
    const bytes = encodeMessage(purchase, profile);
    const at = bytes.indexOf('4242');
    bytes.write('x', at + 3);
    expect(failure(() => decodeMessage(bytes, profile))).toMatchObject({ field: 2, position: at });
    const long = encodeMessage(purchase, profile);
    long.write('99', at - 2);
    expect(failure(() => decodeMessage(long, profile)).message).toBe(
      `field 2 at byte ${at - 2}: has length 99, more than 19`,
    );
  });

  it('begins with the TPDU of its profile', () => {
    const own = readProfile({ name: 'x', extends: '1987-bcd', framing: { tpdu: '6000030000' } });
    const bytes = encodeMessage(purchase, own);
    expect(bytes.toString('hex')).toMatch(/^60000300000200/);
    expect(decodeMessage(bytes, own)).toEqual(purchase);
    expect(failure(() => decodeMessage(bytes.subarray(0, 3), own))).toMatchObject({ field: 'tpdu' });
  });
});

describe('frames', () => {
  const framings = [
    { lengthBytes: 2, lengthEncoding: 'binary', lengthIncludesItself: false },
    { lengthBytes: 2, lengthEncoding: 'binary', lengthIncludesItself: true },
    { lengthBytes: 2, lengthEncoding: 'bcd', lengthIncludesItself: false },
    { lengthBytes: 4, lengthEncoding: 'ascii', lengthIncludesItself: false },
    { lengthBytes: 4, lengthEncoding: 'ascii', lengthIncludesItself: true },
    { lengthBytes: 4, lengthEncoding: 'binary', lengthIncludesItself: false },
  ] as const;

  it.each(framings)('are read back unchanged, no matter how the stream is cut: %j', (framing) => {
    const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 8 }), fc.integer({ min: 1, max: 400 }), (messages, size) => {
        const stream = Buffer.concat(messages.map((message) => frameMessage(message, framing)));
        const reader = createFrameReader(framing);
        const read: Buffer[] = [];
        for (let at = 0; at < stream.length; at += size) read.push(...reader.read(stream.subarray(at, at + size)));
        expect(read.map(String)).toEqual(messages.map(String));
        expect(reader.held).toBe(0);
      }),
      { numRuns: 200 },
    );
  });

  it('are refused if they are too long or their length is no number', () => {
    const reader = () => createFrameReader({ lengthBytes: 4, lengthEncoding: 'ascii', lengthIncludesItself: true });
    for (const text of ['9999', '00x1', '0003'])
      expect(() => [...reader().read(Buffer.from(text))]).toThrow(CodecError);
    expect(() => frameMessage(Buffer.alloc(9_000), framings[0])).toThrow(CodecError);
  });

  it('are read up to the bytes that cannot be read, and nothing is read behind them', () => {
    const reader = createFrameReader({ lengthBytes: 4, lengthEncoding: 'ascii', lengthIncludesItself: false });
    const read: string[] = [];
    const readAll = (text: string) => {
      for (const message of reader.read(Buffer.from(text))) read.push(String(message));
    };
    expect(() => readAll('0002ab0001c00x1d')).toThrow(CodecError);
    expect(() => readAll('0001e')).toThrow(CodecError);
    expect(read).toEqual(['ab', 'c']);
  });

  it('that were not taken are read with the next bytes', () => {
    const reader = createFrameReader({ lengthBytes: 4, lengthEncoding: 'ascii', lengthIncludesItself: false });
    for (const message of reader.read(Buffer.from('0002ab0001c0001'))) {
      expect(String(message)).toBe('ab');
      break;
    }
    expect([...reader.read(Buffer.from('d'))].map(String)).toEqual(['c', 'd']);
  });
});
