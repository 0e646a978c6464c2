/** Waits of the pipeline in milliseconds. In testing one `TIME_SCALE` divides those that take minutes or longer. */
export interface Schedule {
  /** When to inquire again after an unknown outcome; the last value repeats. */
  readonly inquireAfterMs: readonly number[];
  /** "Not found" is believed this long after the attempt started. */
  readonly notFoundSettlesMs: number;
  /** What is pending at the processor for longer needs a person; a refund may be for days. */
  readonly pendingTooLongMs: number;
  /** An operation that is resent for longer has something wrong with it that resending does not mend. */
  readonly resentTooLongMs: number;
  readonly reverseAgainMs: number;
  /** Before time tries an operation of its own again that failed for technical reasons. */
  readonly ownRetryMs: number;
  /** How long the callback of a payment waits for the token of the card that it saves. */
  readonly instrumentHeldMs: number;
  /** Waits between questions about an approved refund. */
  readonly refundCheckAfterMs: readonly number[];
  /** Waits before an update of a processor that could not be applied yet is tried again; then it is flagged. */
  readonly updateAgainAfterMs: readonly number[];
  readonly authorizeWithinMs: number;
  readonly authorizationExpiryMs: number;
  /** How long the issuer may look at the payer's browser before it is asked (3D Secure). */
  readonly threeDsMethodMs: number;
  /** How long the payer has to answer the issuer (3D Secure). */
  readonly challengeMs: number;
  /** How often the provider is asked whether the payer has answered, while the payer is away. */
  readonly challengeAskMs: number;
  /** How long a code of a bank transfer may be paid. */
  readonly codeExpiryMs: number;
  /** A transfer in time is in the bank's books this long after it was made. */
  readonly transferSettlesMs: number;
  /** A code whose bank does not answer is taken for unpaid this long after its time. */
  readonly transferGraceMs: number;
  /** How often the bank is asked about a code that is so old; the last one holds from then on. */
  readonly askTransfer: readonly { readonly untilMs: number; readonly everyMs: number }[];
  /** When the bank is asked again after a code has run out, counted from then. */
  readonly transferCheckAfterMs: readonly number[];
  readonly cvcDestroyMs: number;
  readonly cardDestroyMs: number;
  /** Where the processor needs the card number for a refund. */
  readonly cardDestroyWithRefundsMs: number;
  readonly notSentTriesMax: number;
  readonly notSentRetryMs: number;
  /** How often an authorization that is not found is sent again by its key, the inquiries without an answer included. */
  readonly sentByKeyMax: number;
  /** Routes that one payment is sent to. */
  readonly routeAttemptsMax: number;
}

/** The same before scaling, and how late a call may be sent. */
interface Bounds extends Omit<Schedule, 'ownRetryMs'> {
  readonly sendByMs: number;
  /** The bank is never asked more often, whatever the scale. */
  readonly transferAskMsMin: number;
  /** The 3DS provider is never asked more often, whatever the scale. */
  readonly challengeAskMsMin: number;
}

/** Derives the schedule of an installation. What a payer or a processor really takes is never scaled. */
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
