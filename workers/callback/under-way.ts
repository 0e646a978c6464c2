/** What a process has claimed and not finished, so that others can wait for it. */
export class UnderWay {
  readonly #works = new Map<string, Promise<void>>();
  readonly #ends = new Map<string, () => void>();

  /** Counts a delivery until `work` settles, which never rejects. */
  add(id: string, work: Promise<void>): void {
    // The same delivery may be under way again before the follow-up of its last try has settled.
    const settled = work.finally(() => this.#works.get(id) === settled && this.#works.delete(id));
    this.#works.set(id, settled);
  }

  /** Counts one that waits for its slot, until {@link UnderWay.end}. */
  addWaiting(id: string): void {
    this.add(id, new Promise((resolve) => void this.#ends.set(id, resolve)));
  }

  /** It was tried or given back. */
  end(id: string): void {
    const end = this.#ends.get(id);
    this.#ends.delete(id);
    end?.();
  }

  /** Settles when this one is over; `undefined`: it is not under way. */
  of(id: string): Promise<void> | undefined {
    return this.#works.get(id);
  }

  /** Settles when all are over that are under way now. */
  all(): Promise<unknown> {
    return Promise.all(this.#works.values());
  }

  get size(): number {
    return this.#works.size;
  }
}
