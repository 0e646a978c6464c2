import { constants } from 'node:buffer';
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { limits } from '../../config/limits.js';
import { readHeads } from '../../scripts/gateway/read-heads.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'read-heads-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const lineOf = (count: number) =>
  JSON.stringify({ level: 30, msg: 'audit.head', chain: 'chn_1', count, hash: `h${count}` });
const headOf = (seq: number) => ({ chain: 'chn_1', seq, hash: `h${seq}` });

async function fileOf(text: string): Promise<string> {
  const file = join(folder, `${Math.random()}.log`);
  await writeFile(file, text);
  return file;
}

test('heads are read from all files, also after the prefix of a container and without a last line break', async () => {
  const first = await fileOf(
    `${lineOf(1)}\n\n{"msg":"other","of":"audit.head"}\naudit.head {broken\nweb-1  | ${lineOf(2)}\r\n`,
  );
  const second = await fileOf(lineOf(3));
  expect(await readHeads([first, second, await fileOf('')])).toEqual([1, 2, 3].map(headOf));
});

test('a line that is too long is skipped, and the line after it is read', async () => {
  const long = 'x'.repeat(3 * limits.auditLogLineLengthMax);
  const file = await fileOf(`${lineOf(1)}\n${long}${lineOf(2)}\n${lineOf(3)}\n${long}`);
  expect(await readHeads([file])).toEqual([1, 3].map(headOf));
});

test('a head is found at the end of a log that is longer than a string can be', async () => {
  const file = await fileOf('');
  const end = `\n${lineOf(7)}\n`;
  const handle = await open(file, 'r+');
  // The file is sparse: the hole takes no space.
  await handle.write(end, constants.MAX_STRING_LENGTH);
  await handle.close();
  expect(await readHeads([file])).toEqual([headOf(7)]);
});

test('a file that cannot be read is named', async () => {
  await expect(readHeads([join(folder, 'none.log')])).rejects.toThrow(
    /--log: .*none\.log cannot be read: there is no such file\./,
  );
});
