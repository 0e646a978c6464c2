/**
 * One kept-alive HTTP/1.1 connection, one request at a time. A plain socket: on a small machine a general client library
 * would take a good part of the processor time that is to be measured.
 */
import net from 'node:net';

const HEAD_END = '\r\n\r\n';
const STATUS_AT = 9;

/**
 * Where an answer ends and what it says, or undefined while its head is not complete.
 * @param {Buffer} bytes
 * @returns {{ status: number, length: number, closes: boolean } | undefined} `length`: of head and body
 */
export function readAnswer(bytes) {
  const headLength = bytes.indexOf(HEAD_END);
  if (headLength < 0) return undefined;
  const head = bytes.toString('latin1', 0, headLength);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined) throw new Error('an answer without Content-Length');
  return {
    status: Number(head.slice(STATUS_AT, STATUS_AT + 3)),
    length: headLength + HEAD_END.length + Number(length),
    closes: /\r\nconnection: *close/i.test(head),
  };
}

/**
 * @param {number} port on this machine
 * @param {(status: number) => void} onAnswer called for each answer; 0 when the connection broke instead
 */
export function createConnection(port, onAnswer) {
  /** @type {net.Socket | undefined} */
  let socket;
  /** @type {Buffer | undefined} */
  let partial;
  let waiting = false;

  const settle = (/** @type {number} */ status) => {
    if (!waiting) return;
    waiting = false;
    onAnswer(status);
  };

  const onData = (/** @type {Buffer} */ chunk) => {
    const bytes = partial ? Buffer.concat([partial, chunk]) : chunk;
    const answer = readAnswer(bytes);
    partial = undefined;
    if (!answer || bytes.length < answer.length) {
      partial = bytes;
      return;
    }
    if (answer.closes) {
      socket?.destroy();
      socket = undefined;
    }
    settle(answer.status);
  };

  const open = () => {
    const opened = net.connect({ port, host: '127.0.0.1', noDelay: true });
    const lost = () => {
      // A connection that the server closed after its answer is no loss.
      if (opened !== socket) return;
      socket = undefined;
      partial = undefined;
      settle(0);
    };
    opened.on('data', onData).on('error', lost).on('close', lost);
    return opened;
  };

  return {
    /** Opens it ahead of the first request. @returns {Promise<void>} settles when it is open, or broken: then `send` opens another */
    open: () =>
      new Promise((resolve) => {
        socket ??= open();
        socket.once('connect', () => resolve()).once('close', () => resolve());
      }),
    /** Sends a request whose bytes must stay as they are until its answer came. @param {Buffer} bytes */
    send(bytes) {
      waiting = true;
      socket ??= open();
      socket.write(bytes);
    },
    close() {
      waiting = false;
      const last = socket;
      socket = undefined;
      last?.destroy();
    },
  };
}
