/** Reads the Procfile, which has one line per process of the gateway. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from './problem.mjs';

/** @typedef {{ name: string, args: string[] }} ProcfileLine `args` of node */

/**
 * @param {string} text
 * @returns {ProcfileLine[]} in the file's order
 * @throws {Problem} for a line that is not `name: node <script> <arguments>`, or a repeated name
 */
export function parseProcfile(text) {
  /** @type {ProcfileLine[]} */
  const lines = [];
  for (const raw of text.split('\n')) {
    const line = raw.trim();
    if (!line || line.startsWith('#')) continue;
    const match = /^([a-z][a-z0-9-]*):\s*node\s+(\S.*)$/.exec(line);
    if (!match?.[1] || !match[2]) throw new Problem(`Procfile: "${line}" is not of the form "name: node <script>".`);
    const name = match[1];
    if (lines.some((known) => known.name === name)) throw new Problem(`Procfile: ${name} is repeated.`);
    lines.push({ name, args: match[2].split(/\s+/) });
  }
  return lines;
}

/** @param {string} root @returns {ProcfileLine[]} */
export const readProcfile = (root) => parseProcfile(readFileSync(join(root, 'Procfile'), 'utf8'));
