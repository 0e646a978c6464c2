/** One persistent connection: it signs on, sends echoes, and connects again with growing pauses when it is lost. */
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import type { Log } from '../../../log.js';
import type { IsoTrace } from '../../../store/iso8583-exchange.model.js';
import type { LineEvent } from '../../line-report.js';
import { maskMessage } from '../codec/mask-message.js';
import type { IsoMessage } from '../codec/message.js';
import type { Profile } from '../profile/profile.js';
import type { IsoHooks } from './hooks.js';
import { isAccepted, networkMessage, type Station } from './network-messages.js';
import type { Packer } from './pack.js';
import { type LateAnswer, type LineResult, openSession, type Session, type SessionEvents } from './session.js';
import { type Address, openSocket } from './socket.js';

export interface LineOptions {
  readonly address: Address;
  readonly profile: Profile;
  readonly station: Station;
  readonly hooks: IsoHooks;
  /** How long nothing may arrive on a connection before an echo is sent (ms). */
  readonly echoMs: number;
  /** Whether every message is logged, masked. */
  readonly logMessages: boolean;
  readonly log: Log;
  /** Counts an event on the connections. */
  count(event: LineEvent): void;
  next(terminal: string): Promise<IsoTrace>;
}

export interface Line {
  readonly connected: boolean;
  /** Whether messages can be sent now or soon, because the line is connecting or signing on. */
  readonly isUsableSoon: boolean;
  readonly inFlight: number;
  readonly hasRoom: boolean;
  /** Whether an echo is unanswered: it is not known whether the connection still reaches the acquirer. */
  readonly echoPending: boolean;
  /** When a message got no answer, if none was answered since (ms of the process); else 0. An answered echo does not reset this. */
  readonly doubtedMs: number;
  exchange(message: IsoMessage, timeoutMs: number, late?: LateAnswer): Promise<LineResult>;
  close(): Promise<void>;
}

type NetworkKind = Parameters<typeof networkMessage>[0];

/** Logs the messages of a connection, and logs and counts refused ones. */
const noticing = ({ logMessages, log, count }: LineOptions): Pick<SessionEvents, 'message' | 'refused'> => ({
  message(direction, message) {
    if (!logMessages) return;
    const { mti, fields } = maskMessage(message);
    log.info('iso8583.message', { kind: direction, code: mti, iso8583: JSON.stringify(fields) });
  },
  refused(reason) {
    count('refused');
    log.warn('iso8583.refused', { reason });
  },
});

/** Returns the wait before the next try to connect (ms), with jitter, so that processes do not all connect at once. */
function pauseMs(failures: number): number {
  const pause = failures === 0 ? 0 : iso8583Limits.reconnectMs * 2 ** (failures - 1);
  return Math.min(pause, iso8583Limits.reconnectMsMax) * (0.5 + Math.random() / 2);
}

/** A network message was not answered, or was refused. Another error means that it was not sent. */
class NetworkError extends Error {
  override readonly name = 'NetworkError';

  constructor(
    message: string,
    readonly isAnswered: boolean,
  ) {
    super(message);
  }
}

/** Sends a network message and returns its answer. @throws {NetworkError} when no answer comes or the acquirer refuses */
async function ask(options: LineOptions, kind: NetworkKind, on: Session, more = {}): Promise<IsoMessage> {
  const { profile, station } = options;
  const message = networkMessage(kind, profile, station, await options.next(station.terminal), more);
  const result = await on.exchange(message, iso8583Limits.networkAnswerMs);
  if (result.kind !== 'answered') throw new NetworkError(`${kind}: ${result.internal}`, false);
  if (!isAccepted(result.message))
    throw new NetworkError(`${kind} was refused with ${result.message.fields[39] ?? 'no code'}`, true);
  return result.message;
}

/** Checks whether one connection still reaches the acquirer. */
interface LifeCheck {
  /** Whether an echo was sent and is not answered yet. */
  readonly unsure: boolean;
  /** Sends an echo now, one at a time, and closes the connection when nothing comes after it or it is refused. */
  ask(): Promise<void>;
  stop(): void;
}

/** Sends an echo whenever nothing arrived for `options.echoMs`. @param sure is called after each answer */
function checkLife(options: LineOptions, on: Session, sure: () => void): LifeCheck {
  let unsure = false;
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;

  async function askNow(): Promise<void> {
    if (unsure || stopped) return;
    unsure = true;
    clearTimeout(timer);
    const askedMs = performance.now();
    let leastMs = 1;
    try {
      await ask(options, 'echo', on);
      options.count('echoed');
    } catch (error) {
      // A stopped check must not close the connection: messages in flight on it may still be answered.
      if (stopped) return;
      if (isOver(error, askedMs)) {
        on.destroy((error as Error).message);
        return;
      }
      leastMs = iso8583Limits.echoAgainMs;
    }
    unsure = false;
    if (stopped) return;
    watch(leastMs);
    sure();
  }

  /** Whether an echo that failed ends the connection: not while it brings other messages, and not for an echo that was not sent. */
  const isOver = (error: unknown, askedMs: number): boolean =>
    error instanceof NetworkError && (error.isAnswered || on.heardMs <= askedMs);

  function watch(leastMs = 1): void {
    const leftMs = () => on.heardMs + options.echoMs - performance.now();
    timer = setTimeout(() => (leftMs() > 0 ? watch() : void askNow()), Math.max(leftMs(), leastMs));
    timer.unref();
  }

  watch();
  return {
    get unsure() {
      return unsure;
    },
    ask: askNow,
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** @param changed is called whenever `isUsableSoon` or `hasRoom` may have changed; `problem` says why a connection failed. */
export function openLine(options: LineOptions, packer: Packer, changed: (problem?: string) => void): Line {
  const { profile, hooks, log, count } = options;
  let session: Session | undefined;
  let signedOn = false;
  let connecting = true;
  let closed = false;
  let failures = 0;
  let signedOnMs = 0;
  let doubtedMs = 0;
  let life: LifeCheck | undefined;
  let timer: NodeJS.Timeout | undefined;

  const events = {
    ...noticing(options),
    room: () => changed(),
    signedOff(reason: string) {
      life?.stop();
      changed(reason);
    },
    closed: (reason: string) => lost(reason),
  };
  const isUsable = () => signedOn && session?.signedOff === false;

  function lost(problem: string): void {
    // A sign-on alone is no success: an acquirer that accepts it and then disconnects would be called again and again without a pause.
    if (signedOn && performance.now() - signedOnMs >= iso8583Limits.steadyMs) failures = 0;
    session = undefined;
    signedOn = false;
    doubtedMs = 0;
    life?.stop();
    connecting = false;
    clearTimeout(timer);
    if (closed) return;
    count('disconnected');
    log.warn('iso8583.disconnected', { reason: problem, tries: failures });
    // The first try is immediate: most connections end because the acquirer closes idle ones.
    if (failures === 0) connecting = true;
    timer = setTimeout(connect, pauseMs(failures));
    failures += 1;
    changed(problem);
  }

  async function connect(): Promise<void> {
    connecting = true;
    let opened: Session | undefined;
    try {
      opened = openSession(await openSocket(options.address), profile, packer, events);
      session = opened;
      if (closed) throw new Error('closed');
      await ask(options, 'signOn', opened);
      const exchange = hooks.keyExchange;
      if (exchange) exchange.take(await ask(options, 'keyExchange', opened, exchange.fields()));
      if (session !== opened) return;
      signedOn = true;
      signedOnMs = performance.now();
      connecting = false;
      log.info('iso8583.signed-on', { host: options.address.host, port: options.address.port });
      life = checkLife(options, opened, changed);
      changed();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      // An opened session reports its end itself (`closed`), so `lost` must not be called twice.
      if (opened) opened.destroy(message);
      else lost(code ?? message);
    }
  }

  void connect();
  return {
    get connected() {
      return isUsable();
    },
    get isUsableSoon() {
      return isUsable() || connecting;
    },
    get inFlight() {
      return session?.inFlight ?? 0;
    },
    get hasRoom() {
      return isUsable() && session?.hasRoom === true;
    },
    get echoPending() {
      return life?.unsure === true;
    },
    get doubtedMs() {
      return doubtedMs;
    },
    async exchange(message, timeoutMs, late) {
      const on = session;
      if (!on || !signedOn) return { kind: 'not-sent', internal: 'not connected' };
      const sentMs = performance.now();
      const result = await on.exchange(message, timeoutMs, late);
      if (result.kind === 'not-sent') return result;
      const answered = result.kind === 'answered';
      count(answered ? 'answered' : 'unanswered');
      if (answered) failures = 0;
      // A result of an earlier connection says nothing about the present one.
      if (session !== on) return result;
      doubtedMs = answered ? 0 : performance.now();
      // Nothing arrived since the message was sent: the connection may be dead. An echo shows this sooner than waiting for `echoMs`.
      if (!answered && on.heardMs < sentMs) void life?.ask();
      return result;
    },
    async close() {
      closed = true;
      life?.stop();
      clearTimeout(timer);
      if (profile.signsOff && session && signedOn) await ask(options, 'signOff', session).catch(() => undefined);
      session?.destroy('closed');
    },
  };
}
