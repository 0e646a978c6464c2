/**
 * A list is read from all records of a client: a filter that matches little may look at every one of them. So that the lists
 * of one client never take the database from the payments of others, each client reads a few at once per process; further
 * ones wait for their turn.
 */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';

export interface ListGate {
  /**
   * Resolves when it is the caller's turn.
   * @returns gives the place back; calling it again changes nothing.
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

/** Resolves true at the caller's turn, false after `waitMs`. */
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
    // The place goes on to the next one, without being free in between.
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
