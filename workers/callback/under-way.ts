/** What a process has claimed and not finished, so that others can wait for it. */
export interface UnderWay {
  /** Counts a delivery until `work` settles, which never rejects. */
  add(id: string, work: Promise<void>): void;
  /** Counts one that waits for its place, until {@link UnderWay.end}. */
  addWaiting(id: string): void;
  /** It was tried or given back. */
  end(id: string): void;
  /** Settles when this one is over; `undefined`: it is not under way. */
  of(id: string): Promise<void> | undefined;
  /** Settles when all are over that are under way now. */
  all(): Promise<unknown>;
  size(): number;
}

export function createUnderWay(): UnderWay {
  const works = new Map<string, Promise<void>>();
  const ends = new Map<string, () => void>();
  const add = (id: string, work: Promise<void>) => {
    // The same delivery may be under way again before the follow-up of its last try has settled.
    const settled = work.finally(() => works.get(id) === settled && works.delete(id));
    works.set(id, settled);
  };
  return {
    add,
    addWaiting: (id) =>
      add(
        id,
        new Promise((resolve) => {
          ends.set(id, resolve);
        }),
      ),
    end(id) {
      const end = ends.get(id);
      ends.delete(id);
      end?.();
    },
    of: (id) => works.get(id),
    all: () => Promise.all(works.values()),
    size: () => works.size,
  };
}
