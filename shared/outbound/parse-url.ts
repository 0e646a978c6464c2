/**
 * Returns the URL of a text, or undefined. It does not use `URL.canParse`: in Node 20, once V8 has optimized that function, it reads
 * texts with letters such as `ü` in the wrong encoding and rejects valid addresses.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
