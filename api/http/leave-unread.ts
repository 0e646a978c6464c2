/**
 * Leaves a body unread that is too long or not wanted. Node would read what a handler left to its end, to use the connection again;
 * a sender could make the process read without end.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../config/limits.js';

const waitForContinue = new WeakSet<IncomingMessage>();

/** Notes that the caller sends its body only on request (`Expect: 100-continue`). */
export const noteExpectation = (request: IncomingMessage): void => void waitForContinue.add(request);

/** The body is wanted: a caller that waits for it is asked to send it. */
export function beginReading(request: IncomingMessage, response: ServerResponse): void {
  if (waitForContinue.delete(request)) response.writeContinue();
}

/** So little may be left of the body that reading it is cheaper than a new connection. */
function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= limits.unreadBytesMax;
}

/**
 * Called before an answer is written: where much of the request was not read, nothing more of it is, and the connection
 * closes behind the answer.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || response.headersSent) return;
  // A caller that was not asked for its body may send it, or the next request: the two cannot be distinguished.
  if (isShort(request) && !waitForContinue.has(request)) return;
  response.setHeader('Connection', 'close');
  request.unpipe().removeAllListeners('data').removeAllListeners('readable');
  request.pause();
  // Takes what has come so far, so that Node counts the body as read by us and does not read on by itself.
  request.read();
  const { socket } = request;
  // Node would destroy the socket behind the answer; unread bytes there turn that into a reset, which can overtake the
  // answer. So our side ends, and the caller gets a moment to read.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), limits.unreadLingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}
