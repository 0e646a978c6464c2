/** Reads from /etc/os-release which Linux this is. */
import { readFileSync } from 'node:fs';

/**
 * @param {string} text content of os-release
 * @returns {Record<string, string>}
 */
export function parseOsRelease(text) {
  const pairs = text.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    return at > 0 ? [[line.slice(0, at), line.slice(at + 1).replace(/^(["'])(.*)\1$/, '$2')]] : [];
  });
  return Object.fromEntries(pairs);
}

/** Empty when the file does not exist. @returns {Record<string, string>} */
export function osRelease() {
  try {
    return parseOsRelease(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return {};
  }
}

export const isRoot = () => process.getuid?.() === 0;
