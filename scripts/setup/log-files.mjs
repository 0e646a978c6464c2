/** One log file per process, which restarts append to. A large log is put aside when its process starts. */
import { closeSync, existsSync, mkdirSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';

const LOG_BYTES_MAX = 20 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

/** @param {string} folder @param {string} name */
export const logFile = (folder, name) => join(folder, `${name}.log`);

/** Returns the size of a file in bytes, 0 when it does not exist. @param {string} file */
export const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Opens a log for appending. A log that exceeds the bound becomes `<name>.log.1` first.
 * @param {string} folder
 * @param {string} name
 * @returns {number} file descriptor
 */
export function openLog(folder, name) {
  mkdirSync(folder, { recursive: true });
  const file = logFile(folder, name);
  if (existsSync(file) && statSync(file).size > LOG_BYTES_MAX) renameSync(file, `${file}.1`);
  return openSync(file, 'a');
}

/**
 * Reads the last lines of a log.
 * @param {string} folder
 * @param {string} name
 * @param {number} lines
 */
export function lastLines(folder, name, lines) {
  const file = logFile(folder, name);
  if (!existsSync(file)) return '';
  const { size } = statSync(file);
  const bytes = Buffer.alloc(Math.min(size, TAIL_BYTES));
  const descriptor = openSync(file, 'r');
  try {
    readSync(descriptor, bytes, 0, bytes.length, size - bytes.length);
  } finally {
    closeSync(descriptor);
  }
  return bytes.toString('utf8').trimEnd().split('\n').slice(-lines).join('\n');
}
