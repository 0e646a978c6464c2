/**
 * The URL of a text, or undefined. Not `URL.canParse`: in Node 20, once it is hot, it reads texts with letters such as `ü` in
 * the wrong encoding and says no to addresses that are right.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
