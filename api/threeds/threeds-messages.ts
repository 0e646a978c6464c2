/** EMV 3DS messages as browsers carry them: JSON in base64url. A message from a browser may have any content. */

export const encodeMessage = (message: object): string => Buffer.from(JSON.stringify(message)).toString('base64url');

/** Decodes a message; `undefined` when the text is not a message. */
export function decodeMessage(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}

/** Whether a message belongs to this session, whose id is a UUID in any case. If not, it is a mistake or an attack. */
export function isOfSession(message: unknown, sessionId: string): boolean {
  const id = (message as { threeDSServerTransID?: unknown } | null | undefined)?.threeDSServerTransID;
  return typeof id === 'string' && id.toLowerCase() === sessionId.toLowerCase();
}

/** Whether a message says that the challenge is over: in a browser, the issuer sends only one CRes. */
export const isLastMessage = (message: unknown): boolean =>
  (message as { messageType?: unknown } | null | undefined)?.messageType === 'CRes';
