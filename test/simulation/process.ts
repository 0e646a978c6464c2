/** A process of a story: of the gateway, or the client. */
export interface Process {
  readonly name: string;
  dead: boolean;
  /** Nothing of it runs until then. */
  asleepUntilMs: number;
  /** When the store last left it without a proper answer. */
  struckAtMs: number;
  /** Tasks that it has begun and not ended. */
  busy: number;
  readonly onDeath: (() => void)[];
}
