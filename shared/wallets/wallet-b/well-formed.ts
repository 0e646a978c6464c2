import { limits } from '../../../config/limits.js';

/**
 * Checks that bytes are one well-formed BER value (X.690, 8.1). The parser behind this check accepts lengths that do not fit into each
 * other and invalid ends; what it accepts could be changed on the way unnoticed.
 */

const CONSTRUCTED = 0x20;
/** Marks a tag number of 31 or more, which takes further bytes. CMS has no such tag. */
const LONG_TAG = 0x1f;
const INDEFINITE = 0x80;
const LENGTH_BYTES_MAX = 3;

interface Head {
  readonly constructed: boolean;
  /** Where the value begins. */
  readonly from: number;
  /** Where the value ends; undefined when it ends at an end-of-contents. */
  readonly to: number | undefined;
}

function readHead(bytes: Buffer, at: number, limit: number): Head | undefined {
  const [tag, length] = [bytes[at], bytes[at + 1]];
  if (tag === undefined || length === undefined || at + 2 > limit) return undefined;
  if (tag === 0 || (tag & LONG_TAG) === LONG_TAG) return undefined;
  const constructed = (tag & CONSTRUCTED) !== 0;
  if (length === INDEFINITE) return constructed ? { constructed, from: at + 2, to: undefined } : undefined;
  const lengthBytes = length < INDEFINITE ? 0 : length - INDEFINITE;
  const from = at + 2 + lengthBytes;
  if (lengthBytes > LENGTH_BYTES_MAX || from > limit) return undefined;
  const to = from + (lengthBytes === 0 ? length : bytes.readUIntBE(at + 2, lengthBytes));
  return to > limit ? undefined : { constructed, from, to };
}

/** @returns where the value at `at` ends, or undefined when it is not well-formed. */
function endOf(bytes: Buffer, at: number, limit: number, depth: number): number | undefined {
  const head = depth > limits.asn1DepthMax ? undefined : readHead(bytes, at, limit);
  if (!head?.constructed) return head?.to;
  const end = head.to ?? limit;
  let next: number | undefined = head.from;
  while (next !== undefined && next < end) {
    if (head.to === undefined && next + 2 <= limit && bytes.readUInt16BE(next) === 0) return next + 2;
    next = endOf(bytes, next, end, depth + 1);
  }
  // A definite value ends where its last part does; an indefinite one has ended above.
  return head.to === undefined ? undefined : next;
}

/** Whether the bytes are one value, every part of which has exactly its stated length, with nothing behind it. */
export const isWellFormed = (bytes: Buffer): boolean => endOf(bytes, 0, bytes.length, 0) === bytes.length;
