/** What a payment is about: its amount with its parts, its items, and the metadata that its maker gave it. */

/** Stored as a list, so that a key can never become a path of a query. */
export type Metadata = readonly { readonly k: string; readonly v: string }[];

export interface TaxDetail {
  readonly type: '17934' | '19210' | 'none';
  readonly amountMinor?: number;
  readonly rate?: string;
}

export interface NamedAmount {
  readonly amountMinor: number;
  readonly description?: string;
}

export interface AmountDetails {
  readonly tax?: TaxDetail;
  readonly taxedAmountMinor?: number;
  readonly tip?: NamedAmount;
  readonly discount?: NamedAmount;
  readonly shipping?: NamedAmount;
  /** Charged for the way of paying; kept apart from the price. */
  readonly surcharge?: NamedAmount;
}

export interface PaymentAmount {
  readonly totalMinor: number;
  readonly currency: string;
  readonly tipMinor?: number;
  readonly taxMinor?: number;
  readonly taxedAmountMinor?: number;
  readonly details?: AmountDetails;
}

export interface PaymentItem {
  readonly referenceId?: string;
  readonly name: string;
  readonly description?: string;
  readonly quantity: number;
  /** Decimal text as sent: items are for display, their currency may be the tax's own. */
  readonly price: string;
  readonly discount?: string;
  readonly tax?: { readonly amount: string; readonly currency: string };
  readonly metadata?: Metadata;
}
