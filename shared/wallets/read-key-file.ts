import { readFileSync } from 'node:fs';
import { ConfigError } from '../../config/index.js';

/**
 * Reads a file that a setting names: at the start, and some again at intervals.
 * @throws {ConfigError} naming the setting and what is wrong with the file; never its content.
 */
export function readKeyFile<T>(env: string, path: string, parse: (text: string) => T): T {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new ConfigError([`${env}: ${path} cannot be read`]);
  }
  try {
    return parse(text);
  } catch (error) {
    throw new ConfigError([`${env}: ${path} ${error instanceof Error ? error.message : 'is not valid'}`]);
  }
}
