/** What was done to a payment at the processor, and no operation of the gateway asked for: by a person at its dashboard, or by another program. */
export interface DoneThere {
  readonly kind: 'capture' | 'cancellation' | 'refund';
  /** The purchase or authorization that it was done to: our key of it, or what the processor calls it. */
  readonly of: string;
  /** Absent: all of it. */
  readonly amountMinor?: number;
  readonly currency?: string;
  /** What the processor calls it, where it has a name of its own. */
  readonly processorReference?: string;
  /** Of a cancellation: the hold ran out there. */
  readonly ranOut?: true;
}
