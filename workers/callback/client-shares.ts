/**
 * Bounds how many callbacks of one client are under way in a process: who names thousands of hosts, each of them slow, keeps
 * its own callbacks waiting, not others' (docs/decisions.md, "isolation").
 */
export interface ClientShares {
  /** False when the client has its share; true: one more is under way, until {@link ClientShares.leave}. */
  enter(clientId: string): boolean;
  leave(clientId: string): void;
  /** So many more of a client may be under way. */
  left(clientId: string): number;
  /** Clients that take no further one before one of theirs comes back. */
  full(): string[];
}

/** @param share the most of one client. */
export function createClientShares(share: number): ClientShares {
  const underWay = new Map<string, number>();
  const of = (clientId: string) => underWay.get(clientId) ?? 0;
  return {
    enter(clientId) {
      if (of(clientId) >= share) return false;
      underWay.set(clientId, of(clientId) + 1);
      return true;
    },
    leave(clientId) {
      const left = of(clientId) - 1;
      if (left > 0) underWay.set(clientId, left);
      else underWay.delete(clientId);
    },
    left: (clientId) => share - of(clientId),
    full: () => [...underWay].filter(([, count]) => count >= share).map(([clientId]) => clientId),
  };
}
