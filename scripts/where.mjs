#!/usr/bin/env node
// Finds the source lines for stack traces of the built programs: `node scripts/where.mjs web.log`, or a log on standard input.
import { createReadStream, existsSync, readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';

const root = join(import.meta.dirname, '..');
/** A place in a built program: the part of `file:///app/dist/chunks/chunk-A1.js:12:345` from `dist` on. What precedes it is kept. */
const PLACE = /\bdist\/([\w./-]+\.js):(\d+):(\d+)/g;

/** @type {Map<string, SourceMap | undefined>} */
const maps = new Map();

/** @param {string} file of a program @returns its source map; undefined for a file of another build */
function mapOf(file) {
  if (!maps.has(file)) {
    const text = existsSync(`${file}.map`) ? JSON.parse(readFileSync(`${file}.map`, 'utf8')) : undefined;
    maps.set(file, text && new SourceMap(text));
  }
  return maps.get(file);
}

/** @param {string} place @param {string} path below `dist/` @param {string} line @param {string} column both from 1 */
function sourceOf(place, path, line, column) {
  const file = join(root, 'dist', path);
  const found = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
  if (!found || !('originalSource' in found)) return place;
  const source = relative(root, join(dirname(file), found.originalSource));
  return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
}

const [file] = process.argv.slice(2);
const input = file === undefined ? process.stdin : createReadStream(file);
input.on('error', (/** @type {Error} */ { message }) => {
  console.error(message);
  process.exit(1);
});
for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY }))
  console.log(line.replace(PLACE, sourceOf));
