/**
 * A receiver of callbacks for developers who have none yet: it keeps the newest in memory, to be read on the start page of the sandbox.
 * `POST /inbox` takes one, `GET /inbox` answers them newest first, `DELETE /inbox` forgets them.
 */
import { limits } from '../../../config/limits.js';
import type { Clock } from '../../../shared/clock.js';
import type { InboxEntry } from '../../../shared/processors/sandbox/wire.js';

export interface Inbox {
  receive(body: unknown): void;
  list(): readonly InboxEntry[];
  clear(): void;
}

export function createInbox(clock: Clock): Inbox {
  let entries: readonly InboxEntry[] = [];
  return {
    receive(body) {
      entries = [{ at: clock.now().toISOString(), body }, ...entries].slice(0, limits.sandboxInboxMax);
    },
    list: () => entries,
    clear() {
      entries = [];
    },
  };
}
