/** What a processor says of an operation beside its outcome: references of its own, and what networks and issuers add. Pure. */
import { defined } from '../defined.js';
import type { Payment } from './payment.js';

export const checkResults = ['match', 'no-match', 'not-checked'] as const;
export type CheckResult = (typeof checkResults)[number];

/** What the issuer found when it compared address and cvc. `code` is the network's own letter. */
export interface CardChecks {
  readonly avs?: { readonly code?: string; readonly address?: CheckResult; readonly postalCode?: CheckResult };
  readonly cvc?: { readonly code?: string; readonly result: CheckResult };
}

export const declineAdvices = ['do-not-retry', 'retry-later', 'update-credentials'] as const;
/** What the issuer advises after a decline. */
export type DeclineAdvice = (typeof declineAdvices)[number];

/** What the processor calls an operation. */
export interface OwnReferences {
  /** Shown as `ticket`. */
  readonly ticket?: string;
  /** Its id in the processor's API; given back to the processor, shown to nobody. */
  readonly processorReference?: string;
  /** ISO 8583 field 37. */
  readonly retrievalReference?: string;
}

/** Kept on the transaction as it came. */
export interface ProcessorDetails extends OwnReferences {
  /** What the card network calls the payment: goes with later charges of the stored card. */
  readonly networkTransactionId?: string;
  /** Link id (Mastercard), beside it. */
  readonly networkLinkId?: string;
  readonly checks?: CardChecks;
  /** The network's decline code as it came, and its advice code. */
  readonly networkDeclineCode?: string;
  readonly networkAdviceCode?: string;
  readonly advice?: DeclineAdvice;
  /** Less than was asked for: a partial approval. */
  readonly approvedMinor?: number;
  /** The card has another expiry by now (account updater). */
  readonly updatedExpiry?: { readonly expMonth: number; readonly expYear: number };
}

export const detailsOf = (said: ProcessorDetails): ProcessorDetails =>
  defined({
    ticket: said.ticket,
    processorReference: said.processorReference,
    retrievalReference: said.retrievalReference,
    networkTransactionId: said.networkTransactionId,
    networkLinkId: said.networkLinkId,
    checks: said.checks,
    networkDeclineCode: said.networkDeclineCode,
    networkAdviceCode: said.networkAdviceCode,
    advice: said.advice,
    approvedMinor: said.approvedMinor,
    updatedExpiry: said.updatedExpiry,
  });

/** What a first payment was called, by its processor and by the network: later charges of the card name it. */
export interface FirstPayment extends OwnReferences {
  readonly processor: string;
  readonly networkTransactionId?: string;
  readonly networkLinkId?: string;
  readonly authorization?: string;
}

export const callNames = (
  said: ProcessorDetails & Pick<FirstPayment, 'authorization'>,
): Omit<FirstPayment, 'processor'> =>
  defined({
    ticket: said.ticket,
    processorReference: said.processorReference,
    retrievalReference: said.retrievalReference,
    networkTransactionId: said.networkTransactionId,
    networkLinkId: said.networkLinkId,
    authorization: said.authorization,
  });

/** The payment with what the processor called an operation that has no outcome yet: it is asked about by it. */
export function withReferences(payment: Payment, txId: string, said: OwnReferences): Payment {
  const { ticket, processorReference, retrievalReference } = said;
  const references = defined({ ticket, processorReference, retrievalReference });
  if (Object.keys(references).length === 0) return payment;
  const transactions = payment.transactions.map((tx) => (tx.id === txId ? { ...tx, ...references } : tx));
  return { ...payment, transactions };
}
