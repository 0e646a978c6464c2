/** The files of the project, for guards about them. Walks the folders: an unpacked archive has no git to ask. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { root } from '../../scripts/setup/paths.mjs';

const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git', '.local', 'dist', 'coverage']);

export interface SourceFile {
  /** From the root of the project, with `/`. */
  readonly path: string;
  readonly name: string;
  readonly text: string;
}

const BINARY = /\.(png|jpe?g|webp|gif|ico|woff2?|gz|zip)$/;

function read(folder: string): SourceFile[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return SKIPPED.has(entry.name) ? [] : read(path);
    if (!entry.isFile() || BINARY.test(entry.name) || /\.(log|heapsnapshot)$|^\.env$/.test(entry.name)) return [];
    return [{ path: relative(root, path).replaceAll('\\', '/'), name: entry.name, text: readFileSync(path, 'utf8') }];
  });
}

export const files: readonly SourceFile[] = read(root);

/** Files below these folders whose name fits. */
export const filesIn = (folders: readonly string[], name: RegExp): readonly SourceFile[] =>
  files.filter((file) => folders.some((folder) => file.path.startsWith(`${folder}/`)) && name.test(file.name));

/** One text file of the root or below it. @throws {Error} when there is none. */
export function textOf(path: string): string {
  const found = files.find((file) => file.path === path);
  if (!found) throw new Error(`${path} does not exist`);
  return found.text;
}
