/** Random bytes of the system's generator, drawn by the page. */
import { randomFillSync } from 'node:crypto';

const PAGE_BYTES = 4_096;
let page = Buffer.alloc(0);
let used = 0;

/**
 * Returns random bytes, each given out once only. Drawing sixteen bytes from the system costs almost as much as four thousand, and a
 * payment needs a dozen ids and three initialization vectors.
 * @param bytes at most a page
 */
export function randomBytesOf(bytes: number): Buffer {
  if (used + bytes > page.length) {
    page = randomFillSync(Buffer.allocUnsafeSlow(PAGE_BYTES));
    used = 0;
  }
  used += bytes;
  return page.subarray(used - bytes, used);
}
