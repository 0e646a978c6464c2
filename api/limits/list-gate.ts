/**
 * Limits how many lists of a client are read at once in a process; further reads wait for their turn. A list is read from all
 * records of a client, and a filter that matches little may look at every one of them. The limit keeps the lists of one client
 * from slowing down the payments of others.
 */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';

export interface ListGate {
  /**
   * Resolves when it is the caller's turn.
   * @returns a function that gives the place back; further calls of it have no effect.
   * @throws {GatewayError} `too-many-requests` when too many wait already, or the turn did not come in time.
   */
  enter(clientId: string): Promise<() => void>;
}

interface Line {
  underWay: number;
  readonly waiting: Set<() => void>;
}

const tooManyLists = () =>
  new GatewayError('too-many-requests', {
    internal: 'too many lists at once',
    message:
      'Too many lists are being read at the same time with these credentials. Retry after the interval in Retry-After.',
    retryAfterSeconds: limits.retryAfterSeconds,
  });

/** Waits for the caller's turn: resolves to true at the turn, to false after `waitMs`. */
function turn(line: Line, waitMs: number): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = () => {
      clearTimeout(timer);
      line.waiting.delete(begin);
      resolve(true);
    };
    const timer = setTimeout(() => {
      line.waiting.delete(begin);
      resolve(false);
    }, waitMs);
    line.waiting.add(begin);
  });
}

export function createListGate(bounds: {
  readonly listsAtOnceMax: number;
  readonly listsWaitingMax: number;
  readonly listWaitMs: number;
}): ListGate {
  const lines = new Map<string, Line>();

  function leave(clientId: string, line: Line): void {
    const [next] = line.waiting;
    // The place passes directly to the next caller, so that no other caller can take it.
    if (next) next();
    else line.underWay -= 1;
    if (line.underWay === 0) lines.delete(clientId);
  }

  return {
    async enter(clientId) {
      const line = lines.get(clientId) ?? { underWay: 0, waiting: new Set() };
      lines.set(clientId, line);
      if (line.underWay < bounds.listsAtOnceMax) line.underWay += 1;
      else if (line.waiting.size >= bounds.listsWaitingMax || !(await turn(line, bounds.listWaitMs)))
        throw tooManyLists();
      let left = false;
      return () => {
        if (!left) leave(clientId, line);
        left = true;
      };
    },
  };
}
