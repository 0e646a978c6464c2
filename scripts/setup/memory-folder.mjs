/**
 * A folder for data of one run, in memory when enough memory is free: on a disk MongoDB waits for each commit, and no test
 * outlives a power cut. What a killed process wrote is still there, as it would be on a disk.
 */
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, statfsSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** A file system in memory. Every Linux has it, but containers often give it only 64 MB. */
const MEMORY = '/dev/shm';
/** A whole run needed 2.3 GB at most. */
const NEEDED_BYTES = 4 * 2 ** 30;

/**
 * @param {string} folder that does not exist yet; it becomes a link into memory, or an ordinary folder
 * @param {{ memory?: string, neededBytes?: number }} [options] `memory`: where a file system in memory is
 */
export function makeMemoryFolder(folder, { memory = MEMORY, neededBytes = NEEDED_BYTES } = {}) {
  mkdirSync(dirname(folder), { recursive: true });
  if (freeBytes(memory) < neededBytes) mkdirSync(folder);
  else symlinkSync(mkdtempSync(join(memory, 'payment-gateway-')), folder);
}

/** Removes the folder and what it links to, also after a run that was killed. @param {string} folder */
export function removeMemoryFolder(folder) {
  const target = linkTarget(folder);
  if (target) rmSync(target, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

/** @param {string} folder @returns {number} 0 when there is no such folder */
function freeBytes(folder) {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

/** @param {string} folder @returns {string | undefined} */
function linkTarget(folder) {
  try {
    return readlinkSync(folder);
  } catch {
    // EINVAL: it is a folder. ENOENT: it does not exist.
    return undefined;
  }
}
