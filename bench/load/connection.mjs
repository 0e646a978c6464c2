/**
 * One kept-alive HTTP/1.1 connection with one request at a time, on a plain socket: on a small machine a general client library
 * would use a good part of the processor time that is to be measured.
 */
import net from 'node:net';

const HEAD_END = '\r\n\r\n';
const STATUS_AT = 9;

/**
 * Reads an answer. Undefined while its head is incomplete.
 * @param {Buffer} bytes
 * @returns {{ status: number, length: number, closes: boolean } | undefined} `length`: of head and body together
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
      // Nothing is lost when the server closes a connection after its answer.
      if (opened !== socket) return;
      socket = undefined;
      partial = undefined;
      settle(0);
    };
    opened.on('data', onData).on('error', lost).on('close', lost);
    return opened;
  };

  return {
    /** Opens the connection before the first request. @returns {Promise<void>} settles when open or broken; `send` opens another then */
    open: () =>
      new Promise((resolve) => {
        socket ??= open();
        socket.once('connect', () => resolve()).once('close', () => resolve());
      }),
    /** Sends a request. Its bytes must not change until its answer has arrived. @param {Buffer} bytes */
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
