/** What happens on one open connection: many messages in flight, each with its own deadline, and the acquirer's own messages. */
import type { Socket } from 'node:net';
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import { createFrameReader } from '../codec/frame.js';
import type { IsoMessage } from '../codec/message.js';
import type { Profile } from '../profile/profile.js';
import { answerMti, isNetworkManagement, isRequest, matchKey } from './mti.js';
import { isSignOff, networkAnswer } from './network-messages.js';
import type { Packer } from './pack.js';

export type LineResult =
  | { readonly kind: 'answered'; readonly message: IsoMessage }
  /** Not a byte left. */
  | { readonly kind: 'not-sent'; readonly internal: string }
  | { readonly kind: 'unknown'; readonly internal: string };

/** Takes the answer to a message that is not waited for any more. It holds nothing of the message: it is kept for long. */
export type LateAnswer = (answer: IsoMessage) => void;

export interface SessionEvents {
  message(direction: 'sent' | 'received', message: IsoMessage): void;
  /** What arrived is no message, or nothing that was asked for. In our own words. */
  refused(reason: string): void;
  /** A message is not in flight any more, or there is room again. */
  room(): void;
  /** The acquirer takes no more messages; it may still answer those in flight. */
  signedOff(): void;
  closed(reason: string): void;
}

interface Pending {
  readonly settle: (result: LineResult) => void;
  readonly timer: NodeJS.Timeout;
}

export interface Session {
  readonly inFlight: number;
  /** Whether another message may be written now. */
  readonly hasRoom: boolean;
  /** When a whole message that can be read arrived last (ms of the process). Anything else is no sign of life. */
  readonly heardMs: number;
  exchange(message: IsoMessage, timeoutMs: number, late?: LateAnswer): Promise<LineResult>;
  /** Everything in flight becomes unknown. */
  destroy(reason: string): void;
}

/** Who takes answers that come late: those to the newest messages whose time is over. */
function createOverdue() {
  const kept = new Map<string, LateAnswer>();
  const take = (key: string) => {
    const late = kept.get(key);
    kept.delete(key);
    return late;
  };
  return {
    take,
    keep(key: string, late: LateAnswer) {
      const [oldest] = kept.keys();
      if (oldest !== undefined && kept.size >= iso8583Limits.overdueMax) kept.delete(oldest);
      kept.set(key, late);
    },
  };
}

export function openSession(socket: Socket, profile: Profile, packer: Packer, events: SessionEvents): Session {
  const frames = createFrameReader(profile.framing);
  const pending = new Map<string, Pending>();
  const overdue = createOverdue();
  let open = true;
  let heardMs = performance.now();
  let requests = 0;
  let requestsSinceMs = 0;

  const hasRoom = () =>
    open && pending.size < iso8583Limits.inFlightMax && socket.writableLength < iso8583Limits.unsentBytesMax;

  function end(reason: string): void {
    if (!open) return;
    open = false;
    socket.destroy();
    for (const { settle } of [...pending.values()]) settle({ kind: 'unknown', internal: reason });
    events.closed(reason);
  }

  function answerRequest(message: IsoMessage): void {
    if (heardMs - requestsSinceMs > 1_000) {
      requestsSinceMs = heardMs;
      requests = 0;
    }
    requests += 1;
    if (requests > iso8583Limits.requestsPerSecondMax) end('the acquirer asks too often');
    else if (!isNetworkManagement(message.mti)) events.refused(`a ${message.mti} of the acquirer is not supported`);
    else {
      const answer = networkAnswer(message, profile);
      socket.write(packer.pack(answer));
      events.message('sent', answer);
      if (isSignOff(message, profile)) events.signedOff();
    }
  }

  function unpack(bytes: Buffer): IsoMessage | undefined {
    try {
      return packer.unpack(bytes);
    } catch (error) {
      events.refused(`unreadable: ${(error as Error).message}`);
      return undefined;
    }
  }

  function receive(bytes: Buffer): void {
    // Some acquirers send an empty message as a sign of life.
    const message = bytes.length > 0 ? unpack(bytes) : undefined;
    if (message || bytes.length === 0) heardMs = performance.now();
    if (!message) return;
    events.message('received', message);
    if (isRequest(message.mti)) {
      answerRequest(message);
      return;
    }
    const key = matchKey(message.mti, message.fields);
    const waiting = pending.get(key);
    if (waiting) waiting.settle({ kind: 'answered', message });
    else {
      overdue.take(key)?.(message);
      events.refused(`a ${message.mti} that nothing waits for: late, or about something else`);
    }
  }

  socket.on('data', (bytes: Buffer) => {
    try {
      for (const message of frames.push(bytes)) receive(message);
    } catch (error) {
      // Where the next message begins is not known any more.
      end(`the stream cannot be read: ${(error as Error).message}`);
    }
  });
  socket.on('drain', () => events.room());
  socket.on('error', (error: NodeJS.ErrnoException) => end(`the connection broke: ${error.code ?? error.name}`));
  socket.on('close', () => end('the acquirer closed the connection'));

  return {
    get inFlight() {
      return pending.size;
    },
    get hasRoom() {
      return hasRoom();
    },
    get heardMs() {
      return heardMs;
    },
    exchange(message, timeoutMs, late) {
      if (!hasRoom()) return Promise.resolve({ kind: 'not-sent', internal: 'the connection has no room' });
      const key = matchKey(answerMti(message.mti), message.fields);
      if (pending.has(key)) return Promise.resolve({ kind: 'not-sent', internal: 'the same message is in flight' });
      // What cannot be written is a bug or an unusable profile: nothing has left.
      const bytes = packer.pack(message);
      return new Promise((resolve) => {
        const settle = (result: LineResult) => {
          clearTimeout(timer);
          pending.delete(key);
          resolve(result);
          events.room();
        };
        const giveUp = () => {
          if (late) overdue.keep(key, late);
          settle({ kind: 'unknown', internal: `no answer within ${Math.round(timeoutMs)} ms` });
        };
        const timer = setTimeout(giveUp, timeoutMs);
        pending.set(key, { settle, timer });
        socket.write(bytes);
        events.message('sent', message);
      });
    },
    destroy: end,
  };
}
