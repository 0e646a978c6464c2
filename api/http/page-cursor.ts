/**
 * Signed cursors of keyset pages: each says where the next page begins. A cursor is valid only for the client and the filters it was
 * made for. A changed cursor, or one used with other filters, is invalid (docs/decisions.md, "cursor list").
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

export interface Position {
  readonly createdAt: Date;
  readonly id: string;
}

export interface PageCursors {
  /** @param scope client and filters of the list; signed, but not contained in the cursor. */
  write(scope: unknown, position: Position): string;
  /** Returns the position, or undefined when the text is not a cursor of this scope. */
  read(scope: unknown, text: string): Position | undefined;
}

const KEY_BYTES = 32;
const TAG_BYTES = 16;
const TIME_BYTES = 8;

/** @param purpose separates the cursors of one kind of list from those of another. */
export function createPageCursors(digestKey: Uint8Array, purpose: string): PageCursors {
  const key = Buffer.from(hkdfSync('sha256', digestKey, '', `page-cursor:${purpose}`, KEY_BYTES));
  const tagOf = (scope: unknown, position: Uint8Array) =>
    createHmac('sha256', key)
      .update(position)
      .update(JSON.stringify(scope) ?? '')
      .digest()
      .subarray(0, TAG_BYTES);

  return {
    write(scope, { createdAt, id }) {
      const position = Buffer.alloc(TIME_BYTES + Buffer.byteLength(id));
      position.writeBigInt64BE(BigInt(createdAt.getTime()));
      position.write(id, TIME_BYTES);
      return Buffer.concat([tagOf(scope, position), position]).toString('base64url');
    },
    read(scope, text) {
      const bytes = Buffer.from(text, 'base64url');
      // Another spelling of the same bytes was not issued by us.
      if (bytes.length <= TAG_BYTES + TIME_BYTES || bytes.toString('base64url') !== text) return undefined;
      const [tag, position] = [bytes.subarray(0, TAG_BYTES), bytes.subarray(TAG_BYTES)];
      if (!timingSafeEqual(tag, tagOf(scope, position))) return undefined;
      const createdAt = new Date(Number(position.readBigInt64BE()));
      return { createdAt, id: position.subarray(TIME_BYTES).toString() };
    },
  };
}
