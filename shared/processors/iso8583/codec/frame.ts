/** Frames messages on a stream: each is preceded by its length. */
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import type { Framing } from '../profile/profile.js';
import { fromBcd, toBcd } from './bcd.js';
import { CodecError } from './codec-error.js';

/** @throws {CodecError} for a message whose length does not fit in the header. */
export function frameMessage(message: Buffer, { lengthBytes, lengthEncoding, lengthIncludesItself }: Framing): Buffer {
  const length = message.length + (lengthIncludesItself ? lengthBytes : 0);
  const digits = lengthEncoding === 'bcd' ? lengthBytes * 2 : lengthBytes;
  const tooLong = lengthEncoding === 'binary' ? length >= 256 ** lengthBytes : length >= 10 ** digits;
  if (tooLong || message.length > iso8583Limits.messageBytesMax)
    throw new CodecError('the message is too long', 0, 'end');
  if (lengthEncoding !== 'binary') {
    const text = String(length).padStart(digits, '0');
    return Buffer.concat([lengthEncoding === 'bcd' ? toBcd(text, 'left-0') : Buffer.from(text, 'latin1'), message]);
  }
  const frame = Buffer.allocUnsafe(lengthBytes + message.length);
  frame.writeUIntBE(length, 0, lengthBytes);
  message.copy(frame, lengthBytes);
  return frame;
}

/** Returns the length of the message behind a header; `undefined` when no message has this length. */
function lengthIn(header: Buffer, { lengthBytes, lengthEncoding, lengthIncludesItself }: Framing): number | undefined {
  const digits =
    lengthEncoding === 'bcd' ? (fromBcd(header, lengthBytes * 2, 'left-0') ?? '') : header.toString('latin1');
  const said =
    lengthEncoding === 'binary'
      ? header.readUIntBE(0, lengthBytes)
      : /^\d+$/.test(digits)
        ? Number(digits)
        : Number.NaN;
  const length = said - (lengthIncludesItself ? lengthBytes : 0);
  return length >= 0 && length <= iso8583Limits.messageBytesMax ? length : undefined;
}

export interface FrameReader {
  /**
   * Yields the messages that are complete with these bytes. Some acquirers send an empty message as a sign of life.
   * @throws {CodecError} behind the last complete message, when the stream cannot be read any more: the connection has to be closed.
   */
  read(bytes: Buffer): Generator<Buffer, void>;
  /** Bytes that wait for the rest of their message. */
  readonly held: number;
}

/** Creates a reader, which holds at most one incomplete message. */
export function createFrameReader(framing: Framing): FrameReader {
  const { lengthBytes } = framing;
  let chunks: Buffer[] = [];
  let held = 0;
  /** Number of bytes that complete the next message or its header. */
  let needed = lengthBytes;

  return {
    get held() {
      return held;
    },
    *read(bytes) {
      chunks.push(bytes);
      held += bytes.length;
      if (held < needed) return;
      let rest = chunks.length === 1 ? bytes : Buffer.concat(chunks, held);
      try {
        while (rest.length >= lengthBytes) {
          const length = lengthIn(rest.subarray(0, lengthBytes), framing);
          if (length === undefined) throw new CodecError('the length header says what no message has', 0, 'end');
          needed = lengthBytes + length;
          if (rest.length < needed) break;
          const message = rest.subarray(lengthBytes, needed);
          rest = rest.subarray(needed);
          needed = lengthBytes;
          yield message;
        }
      } finally {
        chunks = rest.length > 0 ? [rest] : [];
        held = rest.length;
      }
    },
  };
}
