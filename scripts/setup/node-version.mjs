// Imported before anything else and run by any version of Node: plain syntax only.
import { readFileSync } from 'node:fs';

/**
 * Compares dotted versions number by number.
 * @param {string} have for example `20.11.1`
 * @param {string} want for example `20.19`
 */
export function isAtLeast(have, want) {
  const ours = have.split('.').map(Number);
  const theirs = want.split('.').map(Number);
  for (let i = 0; i < theirs.length; i += 1) {
    const difference = (ours[i] || 0) - (theirs[i] || 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

/** Ends the process with one sentence when this Node is older than `engines.node` of package.json. */
export function requireNode() {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  // The oldest of the releases that the range names. npm itself refuses newer releases that are left out.
  const want = /\d+(?:\.\d+)*/.exec(manifest.engines.node)?.[0] ?? '';
  if (isAtLeast(process.versions.node, want)) return;
  console.error(`Node ${want} or newer is needed, and this is Node ${process.versions.node}: see https://nodejs.org.`);
  process.exit(1);
}
