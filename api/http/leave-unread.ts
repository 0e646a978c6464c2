/**
 * Leaves a body unread when it is too long or not wanted. Node would read the rest of a body that a handler did not read, in order to
 * reuse the connection, and a sender could make the process read without end.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { limits } from '../../config/limits.js';

const waitForContinue = new WeakSet<IncomingMessage>();

/** Notes that the caller sends its body only when asked (`Expect: 100-continue`). */
export const noteExpectation = (request: IncomingMessage): void => void waitForContinue.add(request);

/** Called when the body is wanted: asks a caller that waits for it to send the body. */
export function beginReading(request: IncomingMessage, response: ServerResponse): void {
  if (waitForContinue.delete(request)) response.writeContinue();
}

/** Whether at most so little of the body is unread that reading it is cheaper than a new connection. */
function isShort({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= limits.unreadBytesMax;
}

/**
 * Called before an answer is written. If much of the request was not read, nothing more of it is read, and the connection closes after
 * the answer.
 */
export function leaveUnread(request: IncomingMessage, response: ServerResponse): void {
  if (request.complete || response.headersSent) return;
  // A caller that was not asked for its body may send the body or its next request: the two cannot be distinguished.
  if (isShort(request) && !waitForContinue.has(request)) return;
  response.setHeader('Connection', 'close');
  request.unpipe().removeAllListeners('data').removeAllListeners('readable');
  request.pause();
  // Takes the bytes that have arrived, so that Node counts the body as read by us and does not read the rest by itself.
  request.read();
  const { socket } = request;
  // Node would destroy the socket after the answer. Unread bytes turn that into a reset, which can overtake the answer. So only our
  // side ends, and the caller gets a moment to read.
  socket.destroySoon = () => {
    socket.end();
    const timer = setTimeout(() => socket.destroy(), limits.unreadLingerMs);
    socket.once('close', () => clearTimeout(timer));
  };
}
