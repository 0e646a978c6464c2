/** EMV 3DS messages as browsers carry them: JSON in base64url. What a browser brings may be anything. */

export const encodeMessage = (message: object): string => Buffer.from(JSON.stringify(message)).toString('base64url');

/** `undefined` when it is no message. */
export function decodeMessage(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a message is of this session, whose id is a UUID in any case; one of another session is a mistake or an attack. */
export function isOfSession(message: unknown, sessionId: string): boolean {
  const id = (message as { threeDSServerTransID?: unknown } | null | undefined)?.threeDSServerTransID;
  return typeof id === 'string' && id.toLowerCase() === sessionId.toLowerCase();
}
