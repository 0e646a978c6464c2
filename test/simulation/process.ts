/** A process of a story: of the gateway, or the client. */
export interface Process {
  readonly name: string;
  dead: boolean;
  /** The process does not run until this time. */
  asleepUntilMs: number;
  /** When the store last failed to answer the process properly. */
  storeFailedAtMs: number;
  /** Number of tasks that the process has begun but not ended. */
  busy: number;
  readonly onDeath: (() => void)[];
}
