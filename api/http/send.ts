import type { ServerResponse } from 'node:http';
import { leaveUnread } from './leave-unread.js';

const NO_CONTENT = 204;
const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Sends `body`. It does not use Express's own `json`, which looks for ETags, callbacks and settings that the API does not have and
 * costs more than the rest of the answer.
 * @param body text and bytes are sent as they are (then `headers` must name their Content-Type), anything else as JSON.
 */
export function send(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  // The caller has disconnected, or an answer is already on its way.
  if (response.headersSent || response.destroyed) return;
  const raw = (typeof body === 'string' && 'Content-Type' in headers) || body instanceof Uint8Array;
  const payload = raw ? body : JSON.stringify(body ?? {});
  leaveUnread(response.req, response);
  response.statusCode = status;
  response.setHeader('Content-Type', JSON_TYPE);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  // An answer without content has no length either (RFC 9110, 8.6).
  if (status !== NO_CONTENT) response.setHeader('Content-Length', Buffer.byteLength(payload));
  response.end(payload);
}
