/**
 * THE TABLE of what can happen to a session (docs/decisions.md, "session status"). A decline is no move: the payer may try again.
 */
export const sessionStatuses = ['pending', 'completed', 'expired', 'cancelled'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** `succeeded`: the session was paid, or the card is saved. `ran-out`: the session expired. `cancelled`: the payer cancelled. */
export const sessionEvents = ['succeeded', 'ran-out', 'cancelled'] as const;
export type SessionEventName = (typeof sessionEvents)[number];

type Moves = Partial<Record<SessionEventName, SessionStatus>>;

const sessionTransitions = {
  pending: { succeeded: 'completed', 'ran-out': 'expired', cancelled: 'cancelled' },
  completed: {},
  // A payment that was in progress when the session expired may still be approved.
  expired: { succeeded: 'completed' },
  cancelled: {},
} as const satisfies Record<SessionStatus, Moves>;

/** Returns the status after `event`, or `undefined` when the table has no such move. */
export function nextSessionStatus(from: SessionStatus, event: SessionEventName): SessionStatus | undefined {
  return (sessionTransitions[from] as Moves)[event];
}
