/**
 * A receiver of callbacks for developers without one. It keeps the newest in memory, and the start page of the sandbox shows them.
 * `POST /inbox` takes one, `GET /inbox` lists them newest first, `DELETE /inbox` deletes them.
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
