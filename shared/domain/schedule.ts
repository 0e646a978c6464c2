/** Waits of the pipeline (ms). In testing, `TIME_SCALE` divides the waits that take minutes or longer. */
export interface Schedule {
  /** When to inquire again after an unknown outcome; the last value repeats. */
  readonly inquireAfterMs: readonly number[];
  /** How long after the start of the attempt "not found" is believed. */
  readonly notFoundSettlesMs: number;
  /** A transaction that is pending at the processor for longer is flagged. A refund may be pending for days. */
  readonly pendingTooLongMs: number;
  /** An operation that is resent for longer is flagged: resending does not solve its problem. */
  readonly resentTooLongMs: number;
  readonly reverseAgainMs: number;
  /** Wait before the gateway retries its own operation after a technical failure; doubles with each failure. */
  readonly ownRetryMs: number;
  /** How long the callback of a payment waits for the token of the card that it saves. */
  readonly instrumentHeldMs: number;
  /** Waits between inquiries about an approved refund. */
  readonly refundCheckAfterMs: readonly number[];
  /** Waits before an update of a processor that could not be applied yet is retried; after the last, the update is flagged. */
  readonly updateAgainAfterMs: readonly number[];
  readonly authorizeWithinMs: number;
  readonly authorizationExpiryMs: number;
  /** How long the issuer may look at the payer's browser before the authentication request (3D Secure). */
  readonly threeDsMethodMs: number;
  /** How long the payer has to answer the issuer (3D Secure). */
  readonly challengeMs: number;
  /** How often the provider is asked whether the payer has answered, while the payer is away. */
  readonly challengeAskMs: number;
  /** How long the code of a bank transfer may be paid. */
  readonly codeExpiryMs: number;
  /** How long after a transfer was made it is certainly in the bank's books. */
  readonly transferSettlesMs: number;
  /** How long after its expiry a code counts as unpaid when the bank does not answer. */
  readonly transferGraceMs: number;
  /** How often the bank is asked about a code, by the age of the code; the last row is for all older codes. */
  readonly askTransfer: readonly { readonly untilMs: number; readonly everyMs: number }[];
  /** When the bank is asked again after a code has expired, counted from the expiry. */
  readonly transferCheckAfterMs: readonly number[];
  readonly cvcDestroyMs: number;
  readonly cardDestroyMs: number;
  /** `cardDestroyMs` for a processor that needs the card number for a refund. */
  readonly cardDestroyWithRefundsMs: number;
  readonly notSentTriesMax: number;
  readonly notSentRetryMs: number;
  /** How often an authorization that is not found is sent again under its key, counting inquiries without an answer too. */
  readonly sentByKeyMax: number;
  /** Maximum number of routes to which one payment is sent. */
  readonly routeAttemptsMax: number;
}

/** The waits before scaling, and how late a call may be sent. */
interface Bounds extends Omit<Schedule, 'ownRetryMs'> {
  readonly sendByMs: number;
  /** The bank is never asked more often than this, at any scale. */
  readonly transferAskMsMin: number;
  /** The 3DS provider is never asked more often than this, at any scale. */
  readonly challengeAskMsMin: number;
}

/** Derives the schedule of an installation. Time that a payer or a processor really needs is never scaled. */
export function makeSchedule(bounds: Bounds, settings: { timeScale: number; processorTimeoutMs: number }): Schedule {
  const scaled = (ms: number) => Math.ceil(ms / settings.timeScale);
  return {
    inquireAfterMs: bounds.inquireAfterMs.map(scaled),
    notFoundSettlesMs: bounds.sendByMs + settings.processorTimeoutMs + scaled(bounds.notFoundSettlesMs),
    pendingTooLongMs: scaled(bounds.pendingTooLongMs),
    resentTooLongMs: scaled(bounds.resentTooLongMs),
    reverseAgainMs: scaled(bounds.reverseAgainMs),
    ownRetryMs: scaled(bounds.inquireAfterMs[1] ?? bounds.reverseAgainMs),
    instrumentHeldMs: bounds.instrumentHeldMs,
    refundCheckAfterMs: bounds.refundCheckAfterMs.map(scaled),
    updateAgainAfterMs: bounds.updateAgainAfterMs.map(scaled),
    authorizeWithinMs: bounds.authorizeWithinMs,
    authorizationExpiryMs: scaled(bounds.authorizationExpiryMs),
    threeDsMethodMs: scaled(bounds.threeDsMethodMs),
    challengeMs: scaled(bounds.challengeMs),
    challengeAskMs: Math.max(bounds.challengeAskMsMin, scaled(bounds.challengeAskMs)),
    codeExpiryMs: scaled(bounds.codeExpiryMs),
    transferSettlesMs: scaled(bounds.transferSettlesMs),
    transferGraceMs: scaled(bounds.transferGraceMs),
    askTransfer: bounds.askTransfer.map(({ untilMs, everyMs }) => ({
      untilMs: scaled(untilMs),
      everyMs: Math.max(bounds.transferAskMsMin, scaled(everyMs)),
    })),
    transferCheckAfterMs: bounds.transferCheckAfterMs.map(scaled),
    cvcDestroyMs: bounds.cvcDestroyMs,
    cardDestroyMs: scaled(bounds.cardDestroyMs),
    cardDestroyWithRefundsMs: scaled(bounds.cardDestroyWithRefundsMs),
    notSentTriesMax: bounds.notSentTriesMax,
    notSentRetryMs: bounds.notSentRetryMs,
    sentByKeyMax: bounds.sentByKeyMax,
    routeAttemptsMax: bounds.routeAttemptsMax,
  };
}
