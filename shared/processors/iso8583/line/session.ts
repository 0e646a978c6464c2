/** One open connection: several messages in flight, each with its own deadline, and the acquirer's own messages. */
import type { Socket } from 'node:net';
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import { createFrameReader } from '../codec/frame.js';
import type { IsoMessage } from '../codec/message.js';
import type { Profile } from '../profile/profile.js';
import { answerMti, isNetworkManagement, isRequest, matchKey } from './mti.js';
import { isKeyExchange, isSignOff, networkAnswer } from './network-messages.js';
import type { Packer } from './pack.js';

export type LineResult =
  | { readonly kind: 'answered'; readonly message: IsoMessage }
  /** No byte left. */
  | { readonly kind: 'not-sent'; readonly internal: string }
  | { readonly kind: 'unknown'; readonly internal: string };

/** Takes an answer that comes after the deadline. It must not hold the message, because it is kept for a long time. */
export type LateAnswer = (answer: IsoMessage) => void;

export interface SessionEvents {
  message(direction: 'sent' | 'received', message: IsoMessage): void;
  /** Called when the received bytes are no message, or no expected one. The reason is a text of the gateway. */
  refused(reason: string): void;
  /** Called when there may be room for messages again. */
  room(): void;
  /** Called when the acquirer accepts no more messages. */
  signedOff(reason: string): void;
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
  /** Whether the acquirer accepts no more messages. It may still answer those in flight; then the connection ends. */
  readonly signedOff: boolean;
  /** When the last complete, readable message arrived (ms of the process), an empty one included. Nothing else is a sign of life. */
  readonly heardMs: number;
  exchange(message: IsoMessage, timeoutMs: number, late?: LateAnswer): Promise<LineResult>;
  /** Ends the connection; all messages in flight become `unknown`. */
  destroy(reason: string): void;
}

/**
 * Keeps the messages that wait for an answer, by the key of the answer (`matchKey`), and the handlers of late answers for the newest
 * messages whose deadline is over.
 *
 * @param settled is called whenever a message is no longer in flight
 */
function createInFlight(settled: () => void) {
  const pending = new Map<string, Pending>();
  const overdue = new Map<string, LateAnswer>();

  function keep(key: string, late: LateAnswer): void {
    const [oldest] = overdue.keys();
    if (oldest !== undefined && overdue.size >= iso8583Limits.overdueMax) overdue.delete(oldest);
    overdue.set(key, late);
  }

  return {
    get count() {
      return pending.size;
    },
    has: (key: string) => pending.has(key),
    wait: (key: string, timeoutMs: number, late: LateAnswer | undefined) =>
      new Promise<LineResult>((resolve) => {
        const settle = (result: LineResult) => {
          clearTimeout(timer);
          pending.delete(key);
          resolve(result);
          settled();
        };
        const giveUp = () => {
          if (late) keep(key, late);
          settle({ kind: 'unknown', internal: `no answer within ${Math.round(timeoutMs)} ms` });
        };
        const timer = setTimeout(giveUp, timeoutMs);
        pending.set(key, { settle, timer });
      }),
    /** @returns whether a message was waiting for this answer */
    answer(key: string, message: IsoMessage): boolean {
      const waiting = pending.get(key);
      if (waiting) waiting.settle({ kind: 'answered', message });
      else overdue.get(key)?.(message);
      overdue.delete(key);
      return waiting !== undefined;
    },
    giveUpAll(reason: string): void {
      for (const { settle } of [...pending.values()]) settle({ kind: 'unknown', internal: reason });
    },
  };
}

/** Creates a counter of the acquirer's own messages per second, which returns whether there are too many. */
function createAskCount(): (atMs: number) => boolean {
  let count = 0;
  let sinceMs = 0;
  return (atMs) => {
    if (atMs - sinceMs > 1_000) {
      sinceMs = atMs;
      count = 0;
    }
    count += 1;
    return count > iso8583Limits.requestsPerSecondMax;
  };
}

const SIGNED_OFF = 'the acquirer signed off';

/** Returns the message; `undefined` when the bytes are none. */
function unpack(bytes: Buffer, packer: Packer, { refused }: SessionEvents): IsoMessage | undefined {
  try {
    return packer.unpack(bytes);
  } catch (error) {
    refused(`unreadable: ${(error as Error).message}`);
    return undefined;
  }
}

export function openSession(socket: Socket, profile: Profile, packer: Packer, events: SessionEvents): Session {
  const frames = createFrameReader(profile.framing);
  const inFlight = createInFlight(() => {
    events.room();
    leaveIfIdle();
  });
  /** `leaving`: the acquirer signed off, and messages in flight are still waited for. */
  let state: 'open' | 'leaving' | 'ended' = 'open';
  let heardMs = performance.now();
  const asksTooOften = createAskCount();

  const hasRoom = () =>
    state === 'open' &&
    inFlight.count < iso8583Limits.inFlightMax &&
    socket.writableLength < iso8583Limits.unsentBytesMax;

  function end(reason: string): void {
    if (state === 'ended') return;
    state = 'ended';
    socket.destroy();
    inFlight.giveUpAll(reason);
    events.closed(reason);
  }

  function leave(): void {
    // The acquirer may repeat its sign-off, even after the message that ended the connection.
    if (state !== 'open') return;
    state = 'leaving';
    events.signedOff(SIGNED_OFF);
    leaveIfIdle();
  }

  function leaveIfIdle(): void {
    if (state === 'leaving' && inFlight.count === 0) end(SIGNED_OFF);
  }

  function answerRequest(message: IsoMessage): void {
    if (asksTooOften(heardMs)) end('the acquirer asks too often');
    else if (!isNetworkManagement(message.mti)) events.refused(`a ${message.mti} of the acquirer is not supported`);
    else {
      if (isKeyExchange(message, profile)) events.refused('a key exchange of the acquirer is not supported');
      const answer = networkAnswer(message, profile);
      socket.write(packer.pack(answer));
      events.message('sent', answer);
      if (isSignOff(message, profile)) leave();
    }
  }

  function receive(bytes: Buffer): void {
    // Some acquirers send an empty message as a sign of life.
    const message = bytes.length > 0 ? unpack(bytes, packer, events) : undefined;
    if (message || bytes.length === 0) heardMs = performance.now();
    if (!message) return;
    events.message('received', message);
    if (isRequest(message.mti)) {
      answerRequest(message);
      return;
    }
    const key = matchKey(message.mti, message.fields);
    if (inFlight.answer(key, message)) return;
    events.refused(`a ${message.mti} that nothing waits for: late, or about something else`);
  }

  socket.on('data', (bytes: Buffer) => {
    try {
      for (const message of frames.read(bytes)) receive(message);
    } catch (error) {
      // After this error it is not known where the next message begins.
      end(`the stream cannot be read: ${(error as Error).message}`);
    }
  });
  socket.on('drain', () => events.room());
  socket.on('error', (error: NodeJS.ErrnoException) => end(`the connection broke: ${error.code ?? error.name}`));
  socket.on('close', () => end('the acquirer closed the connection'));

  return {
    get inFlight() {
      return inFlight.count;
    },
    get hasRoom() {
      return hasRoom();
    },
    get signedOff() {
      return state === 'leaving';
    },
    get heardMs() {
      return heardMs;
    },
    exchange(message, timeoutMs, late) {
      const noRoom = state === 'leaving' ? SIGNED_OFF : 'the connection has no room';
      // An echo finds out whether a full connection is dead: it needs no room.
      const isRefused = isNetworkManagement(message.mti) ? state !== 'open' : !hasRoom();
      if (isRefused) return Promise.resolve({ kind: 'not-sent', internal: noRoom });
      const key = matchKey(answerMti(message.mti), message.fields);
      if (inFlight.has(key)) return Promise.resolve({ kind: 'not-sent', internal: 'the same message is in flight' });
      // `pack` throws only for a bug or an unusable profile, and then nothing has left.
      const bytes = packer.pack(message);
      const result = inFlight.wait(key, timeoutMs, late);
      socket.write(bytes);
      events.message('sent', message);
      return result;
    },
    destroy: end,
  };
}
