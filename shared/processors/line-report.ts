/** The report of an adapter on its persistent connections. */

/**
 * `answered`: a message was sent and answered in time; `unanswered`: no answer came in time. `refused`: a message that arrived was
 * unreadable, late or unsolicited. `echoed`: an echo was answered. `disconnected`: a connection was lost, or could not be made.
 */
export const lineEvents = ['answered', 'unanswered', 'refused', 'echoed', 'disconnected'] as const;
export type LineEvent = (typeof lineEvents)[number];

/** Connections of this process that stay open, and what happened on them. */
export interface LineReport {
  /** Connections that messages can be sent on now, and how many there should be (none before the first message). */
  readonly connected: number;
  readonly wanted: number;
  /** Messages that wait for their answer, and messages that wait for a connection. */
  readonly inFlight: number;
  readonly waiting: number;
  /** Reversals of the installation that the acquirer has not confirmed; counted up to a bound. */
  readonly openReversals: number;
  /** Since the process began. */
  readonly counts: Readonly<Record<LineEvent, number>>;
}
