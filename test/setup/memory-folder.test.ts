import { existsSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeMemoryFolder, removeMemoryFolder } from '../../scripts/setup/memory-folder.mjs';

let place: string;
let memory: string;
let folder: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'memory-folder-'));
  memory = join(place, 'memory');
  folder = join(place, 'run/data');
  mkdirSync(memory);
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

test('the folder is in memory if there is enough, and leaves nothing there', () => {
  makeMemoryFolder(folder, { memory, neededBytes: 1 });
  mkdirSync(join(folder, 'mongodb'));
  writeFileSync(join(folder, 'mongodb/data'), 'x');
  const [made = ''] = readdirSync(memory);
  expect(existsSync(join(memory, made, 'mongodb/data'))).toBe(true);
  removeMemoryFolder(folder);
  expect(readdirSync(memory)).toEqual([]);
  expect(existsSync(folder)).toBe(false);
});

test.each([
  ['too little', { neededBytes: Number.MAX_SAFE_INTEGER }],
  ['none', { memory: '/there-is-no-such-folder', neededBytes: 1 }],
])('the folder is an ordinary one if the free memory is: %s', (_what, options) => {
  makeMemoryFolder(folder, { memory, ...options });
  expect(lstatSync(folder).isDirectory()).toBe(true);
  expect(readdirSync(memory)).toEqual([]);
  removeMemoryFolder(folder);
  expect(existsSync(folder)).toBe(false);
});

test('removing a folder that does not exist is no error', () => {
  expect(() => removeMemoryFolder(folder)).not.toThrow();
});
