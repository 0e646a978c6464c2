/**
 * THE TABLE of what can happen to a session (docs/decisions.md, "session status"). A decline is no move: the payer tries again.
 */
export const sessionStatuses = ['pending', 'completed', 'expired', 'cancelled'] as const;
export type SessionStatus = (typeof sessionStatuses)[number];

/** `succeeded`: money or card is there. `ran-out`: its time is over. `cancelled`: the payer used cancel. */
export const sessionEvents = ['succeeded', 'ran-out', 'cancelled'] as const;
export type SessionEventName = (typeof sessionEvents)[number];

type Moves = Partial<Record<SessionEventName, SessionStatus>>;

export const sessionTransitions = {
  pending: { succeeded: 'completed', 'ran-out': 'expired', cancelled: 'cancelled' },
  completed: {},
  // A payment that was on its way at the end may still bring the money.
  expired: { succeeded: 'completed' },
  cancelled: {},
} as const satisfies Record<SessionStatus, Moves>;

/** The status after `event`, or `undefined` when the table has no such move. */
export function nextSessionStatus(from: SessionStatus, event: SessionEventName): SessionStatus | undefined {
  return (sessionTransitions[from] as Moves)[event];
}
