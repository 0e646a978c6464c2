/** Fills a temporary folder and renames it into place, so that a run that was broken off leaves nothing incomplete. */
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PREFIX = '.staging-';

/**
 * @param {string} destination folder that `fill` makes; an existing one is replaced
 * @param {(folder: string) => Promise<void>} fill
 * @returns {Promise<string>} the destination
 */
export async function stage(destination, fill) {
  const parent = dirname(destination);
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, PREFIX));
  try {
    await fill(folder);
    rmSync(destination, { recursive: true, force: true });
    renameSync(folder, destination);
    return destination;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Removes what killed runs left behind. Call it only while no other run stages there.
 * @param {string} parent
 */
export function sweepStaging(parent) {
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    if (name.startsWith(PREFIX)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}
