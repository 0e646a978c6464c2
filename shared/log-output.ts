/**
 * Standard output for the log. Its reader may have stopped (a full pipe), be gone, or be a full disk. Records are kept in memory up
 * to a bound, further ones are dropped and counted, and no call waits for a write. A process that ends tries for a moment to write
 * the records that it holds.
 */
import { write, writeSync } from 'node:fs';
import { limits } from '../config/limits.js';

export interface LogOutput {
  write(record: string): void;
  /** How many records were dropped since the process began. */
  readonly dropped: number;
}

/** @param onDropped gets the number of dropped records when records can be written again. */
export function createLogOutput(onDropped: (count: number) => void): LogOutput {
  // Reading `process.stdout` makes a pipe non-blocking: a write to a full pipe fails at once instead of holding a thread. In a worker
  // thread it has no `fd`.
  const fd: number = process.stdout.fd ?? 1;
  let records: string[] = [];
  let heldBytes = 0;
  let dropped = 0;
  /** How many of the dropped records were reported to `onDropped`. */
  let said = 0;
  /** What is being written, or has to be written again. */
  let rest = Buffer.alloc(0);
  let writingSince: number | undefined;
  let timer: NodeJS.Timeout | undefined;

  function takeRecords(): void {
    rest = Buffer.concat([rest, Buffer.from(records.join(''))]);
    records = [];
    heldBytes = rest.length;
  }

  function flushIn(ms: number): void {
    timer ??= setTimeout(flush, ms).unref();
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (writingSince !== undefined) return;
    takeRecords();
    if (rest.length === 0) return;
    writingSince = performance.now();
    write(fd, rest, afterWrite);
  }

  function afterWrite(error: Error | null, written: number): void {
    writingSince = undefined;
    if (error) {
      flushIn(limits.logRetryMs);
      return;
    }
    rest = rest.subarray(written);
    heldBytes -= written;
    if (rest.length > 0) {
      flush();
      return;
    }
    const count = dropped - said;
    said = dropped;
    if (count > 0) onDropped(count);
    if (records.length > 0) flushIn(limits.logGatherMs);
  }

  /** Writes the held records when the process ends, unless a write has been in progress for too long: this one would get stuck as well. */
  function flushAtExit(): void {
    const giveUpAt = performance.now() + limits.logExitMs;
    if (writingSince !== undefined) {
      if (performance.now() - writingSince > limits.logExitMs) return;
      rest = Buffer.alloc(0);
    }
    takeRecords();
    while (rest.length > 0 && performance.now() < giveUpAt) {
      try {
        rest = rest.subarray(writeSync(fd, rest));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)), 0, 0, limits.logExitPollMs);
      }
    }
  }
  process.once('exit', flushAtExit);

  return {
    get dropped() {
      return dropped;
    },
    write(record) {
      const bytes = Buffer.byteLength(record);
      if (heldBytes + bytes > limits.logHeldBytesMax) {
        dropped += 1;
        return;
      }
      records.push(record);
      heldBytes += bytes;
      if (rest.length === 0 && heldBytes >= limits.logGatherBytes) flush();
      else if (writingSince === undefined) flushIn(limits.logGatherMs);
    },
  };
}
