/**
 * The connections of a process to the acquirer. A message takes the connection with the fewest messages in flight, preferably one
 * that is known to be alive and to answer, or waits for room.
 */
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import type { IsoMessage } from '../codec/message.js';
import { type Line, type LineOptions, openLine } from './line.js';
import { createPacker } from './pack.js';
import type { LateAnswer, LineResult } from './session.js';

/** A reserved place for one message on a connection, held until it is used or released. */
export interface Place {
  /** @param late gets an answer that comes after the deadline, if it comes on the same connection */
  exchange(message: IsoMessage, timeoutMs: number, late?: LateAnswer): Promise<LineResult>;
  release(): void;
}

/** The reason why there is no place; nothing was sent. */
export interface NoPlace {
  readonly internal: string;
}

export interface Lines {
  /** Waits for room on a connection, for a limited time. Returns at once when no connection is up or being opened. */
  reserve(): Promise<Place | NoPlace>;
  readonly inFlight: number;
  /** Connections that messages can be sent on. */
  readonly connected: number;
  /** Connections that are kept: none before the first message. */
  readonly wanted: number;
  /** Messages that wait for a connection. */
  readonly waiting: number;
  close(): Promise<void>;
}

/** Creates the connections, which are opened when first used. @throws {Error} when the profile needs a hook that is missing */
export function createLines(options: LineOptions, count: number): Lines {
  const packer = createPacker(options.profile, options.hooks);
  let lines: readonly Line[] = [];
  let opened = false;
  let closed = false;
  let problem = 'not connected';
  const reserved = new Map<Line, number>();
  const waiting = new Set<(place: Place | NoPlace) => void>();

  const loadOf = (line: Line) => line.inFlight + (reserved.get(line) ?? 0);

  /** Prefers a connection that answers; else the one whose unanswered message is the oldest, because the others may be stuck. */
  const better = (best: Line, line: Line): boolean =>
    best.doubtedMs === line.doubtedMs ? loadOf(best) <= loadOf(line) : best.doubtedMs < line.doubtedMs;

  function freest(): Line | undefined {
    const free = lines.filter((line) => line.hasRoom && loadOf(line) < iso8583Limits.inFlightMax);
    const sure = free.filter(({ echoPending }) => !echoPending);
    return (sure.length > 0 ? sure : free).reduce<Line | undefined>(
      (best, line) => (best && better(best, line) ? best : line),
      undefined,
    );
  }

  function placeOn(line: Line): Place {
    let held = true;
    reserved.set(line, (reserved.get(line) ?? 0) + 1);
    const release = () => {
      if (!held) return;
      held = false;
      reserved.set(line, (reserved.get(line) ?? 1) - 1);
    };
    return {
      exchange(message, timeoutMs, late) {
        release();
        return line.exchange(message, timeoutMs, late);
      },
      release() {
        release();
        changed();
      },
    };
  }

  function changed(reason?: string): void {
    if (reason !== undefined) problem = reason;
    for (const give of [...waiting]) {
      const line = freest();
      if (line) give(placeOn(line));
      else if (opened && !lines.some(({ isUsableSoon }) => isUsableSoon))
        give({ internal: `no connection: ${problem}` });
      else return;
    }
  }

  function wait(): Promise<Place | NoPlace> {
    if (waiting.size >= iso8583Limits.waitingMax) return Promise.resolve({ internal: 'too many messages wait' });
    return new Promise((resolve) => {
      const give = (place: Place | NoPlace) => {
        clearTimeout(timer);
        waiting.delete(give);
        resolve(place);
      };
      const tooLate = { internal: `no room within ${iso8583Limits.waitMs} ms` };
      const timer = setTimeout(() => give(tooLate), iso8583Limits.waitMs);
      waiting.add(give);
    });
  }

  return {
    async reserve() {
      if (closed) return { internal: 'closed' };
      if (!opened) {
        lines = Array.from({ length: count }, () => openLine(options, packer, changed));
        opened = true;
      }
      const line = freest();
      if (line) return placeOn(line);
      return lines.some(({ isUsableSoon }) => isUsableSoon) ? wait() : { internal: `no connection: ${problem}` };
    },
    get inFlight() {
      return lines.reduce((sum, line) => sum + line.inFlight, 0);
    },
    get connected() {
      return lines.filter((line) => line.connected).length;
    },
    get wanted() {
      return lines.length;
    },
    get waiting() {
      return waiting.size;
    },
    async close() {
      closed = true;
      for (const give of [...waiting]) give({ internal: 'closed' });
      await Promise.all(lines.map((line) => line.close()));
    },
  };
}
