/**
 * The append-only file behind the books: one line per entry. A line counts once it is on the disk, and its writer is notified
 * only then. Lines that arrive while the disk is busy share the next write and sync (group commit), so that thousands
 * of payments a second need only a few hundred syncs.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';

export interface LedgerFile {
  /** Appends a line (without its newline). Resolves when it is on the disk. When that fails, this and all later calls reject. */
  append(line: string): Promise<void>;
  /** Resolves when everything appended so far is on the disk. */
  flushed(): Promise<void>;
  /** Reads every line that is on the disk at the moment of the call, oldest first. */
  lines(): AsyncIterable<string>;
  close(): Promise<void>;
}

interface Batch {
  text: string;
  readonly done: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const READ_TAIL_BYTES = 64 * 1024;
const NEWLINE = 0x0a;

function newBatch(): Batch {
  let resolve: () => void = () => undefined;
  let reject: (error: unknown) => void = () => undefined;
  const done = new Promise<void>((onDone, onError) => {
    resolve = onDone;
    reject = onError;
  });
  // The failure of an entry without a waiting caller (a refund that settles later) must not end the process.
  done.catch(() => undefined);
  return { text: '', done, resolve, reject };
}

/** Returns the length up to and including the last newline: a line that a kill cut off was never acknowledged, and is dropped. */
async function wholeLinesLength(handle: FileHandle): Promise<number> {
  let end = (await handle.stat()).size;
  const chunk = Buffer.alloc(READ_TAIL_BYTES);
  while (end > 0) {
    const start = Math.max(0, end - READ_TAIL_BYTES);
    const { bytesRead } = await handle.read(chunk, 0, end - start, start);
    const at = chunk.lastIndexOf(NEWLINE, bytesRead - 1);
    if (bytesRead > 0 && at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}

async function cutTornLine(handle: FileHandle): Promise<number> {
  const length = await wholeLinesLength(handle);
  if (length < (await handle.stat()).size) await handle.truncate(length);
  return length;
}

async function* readLines(path: string, length: number): AsyncIterable<string> {
  if (length === 0) return;
  const input = createReadStream(path, { start: 0, end: length - 1 });
  try {
    yield* createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
  } finally {
    // Otherwise a reader that stops early would leave the file open.
    input.destroy();
  }
}

/** Opens the file (and makes its folder), and cuts off an incomplete last line. */
export async function openLedgerFile(path: string): Promise<LedgerFile> {
  await mkdir(dirname(path), { recursive: true });
  const handle = await open(path, 'a+');
  let length = await cutTornLine(handle).catch(async (error: unknown) => {
    await handle.close();
    throw error;
  });

  let gathering: Batch | undefined;
  let writing: Batch | undefined;
  let broken: unknown;

  async function writeAll(): Promise<void> {
    while (gathering !== undefined) {
      writing = gathering;
      gathering = undefined;
      try {
        if (broken !== undefined) throw broken;
        const bytes = Buffer.from(writing.text);
        await handle.appendFile(bytes);
        await handle.datasync();
        length += bytes.length;
        writing.resolve();
      } catch (error) {
        // It is not known now what is on the disk, so nothing more is acknowledged.
        broken = error;
        writing.reject(error);
      }
    }
    writing = undefined;
  }

  return {
    append(line) {
      if (gathering === undefined) {
        gathering = newBatch();
        if (writing === undefined) setImmediate(() => writing === undefined && void writeAll());
      }
      gathering.text += `${line}\n`;
      return gathering.done;
    },
    flushed: () => gathering?.done ?? writing?.done ?? Promise.resolve(),
    lines: () => readLines(path, length),
    async close() {
      await (gathering?.done ?? writing?.done)?.catch(() => undefined);
      await handle.close();
    },
  };
}
