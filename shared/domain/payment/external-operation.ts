/** What was done to a payment at the processor without the gateway: by a person in the processor's dashboard, or by another program. */
export interface ExternalOperation {
  readonly kind: 'capture' | 'cancellation' | 'refund';
  /** The purchase or authorization that was changed: our key, or the processor's reference. */
  readonly of: string;
  /** Absent: the whole amount. */
  readonly amountMinor?: number;
  readonly currency?: string;
  /** The processor's reference of the operation, if it has one. */
  readonly processorReference?: string;
  /** For a cancellation: the hold expired at the processor. An earlier release takes it for a cancellation that a person asked for. */
  readonly ranOut?: true;
}
