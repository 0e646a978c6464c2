/**
 * Bounds how many callbacks of one client are under way in a process: a client with thousands of hosts, each of them slow, delays
 * its own callbacks only (docs/decisions.md, "isolation").
 */
export class ClientShares {
  readonly #underWay = new Map<string, number>();

  /** @param share the most of one client. */
  constructor(private readonly share: number) {}

  /** False when the client has its share; true: one more is under way, until {@link ClientShares.leave}. */
  enter(clientId: string): boolean {
    if (this.left(clientId) <= 0) return false;
    this.#underWay.set(clientId, this.#countOf(clientId) + 1);
    return true;
  }

  leave(clientId: string): void {
    const left = this.#countOf(clientId) - 1;
    if (left > 0) this.#underWay.set(clientId, left);
    else this.#underWay.delete(clientId);
  }

  /** So many more of a client may be under way. */
  left(clientId: string): number {
    return this.share - this.#countOf(clientId);
  }

  /** Clients that take no further one before one of theirs ends. */
  full(): string[] {
    return [...this.#underWay].filter(([, count]) => count >= this.share).map(([clientId]) => clientId);
  }

  #countOf(clientId: string): number {
    return this.#underWay.get(clientId) ?? 0;
  }
}
