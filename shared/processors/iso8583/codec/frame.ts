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
   * Returns the messages that are complete with these bytes. Some acquirers send an empty message as a sign of life.
   * @throws {CodecError} when the stream cannot be read any more and no message came before: the connection has to be closed.
   */
  push(bytes: Buffer): Buffer[];
  /** Why the stream cannot be read behind the messages that were returned: the connection has to be closed after them. */
  readonly problem: CodecError | undefined;
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
  let problem: CodecError | undefined;

  /** Messages that came before the unreadable bytes are complete: they may be answers. */
  function broken(before: Buffer[]): Buffer[] {
    problem = new CodecError('the length header says what no message has', 0, 'end');
    if (before.length === 0) throw problem;
    return before;
  }

  return {
    get problem() {
      return problem;
    },
    get held() {
      return held;
    },
    push(bytes) {
      if (problem) throw problem;
      chunks.push(bytes);
      held += bytes.length;
      if (held < needed) return [];
      const all = chunks.length === 1 ? bytes : Buffer.concat(chunks, held);
      const messages: Buffer[] = [];
      let at = 0;
      needed = lengthBytes;
      while (all.length - at >= lengthBytes) {
        const length = lengthIn(all.subarray(at, at + lengthBytes), framing);
        if (length === undefined) return broken(messages);
        needed = lengthBytes + length;
        if (all.length - at < needed) break;
        messages.push(all.subarray(at + lengthBytes, at + needed));
        at += needed;
        needed = lengthBytes;
      }
      const rest = all.subarray(at);
      chunks = rest.length > 0 ? [rest] : [];
      held = rest.length;
      return messages;
    },
  };
}
