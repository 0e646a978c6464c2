/** Decodes standard base64 in its one canonical form. Any other text is undefined, so that a token has only one spelling. */
export function readBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string' || text.length === 0) return undefined;
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}
