/** What a processor says of an operation beside its outcome: references of its own, and what networks and issuers add. Pure. */
import { defined } from '../defined.js';
import { count, oneOf, optional, record, type Stored, text } from '../described.js';

export const checkResults = ['match', 'no-match', 'not-checked'] as const;
const checkResult = oneOf(...checkResults);

export const declineAdvices = ['do-not-retry', 'retry-later', 'update-credentials'] as const;
/** What the issuer advises after a decline. */
export type DeclineAdvice = (typeof declineAdvices)[number];

/** What the processor calls an operation. */
const ownReferences = {
  /** Shown as `ticket`. */
  ticket: optional(text),
  /** Its id in the processor's API; given back to the processor, never shown. */
  processorReference: optional(text),
  /** ISO 8583 field 37. */
  retrievalReference: optional(text),
};

/** Given back with later charges of the stored card. */
const networkNames = {
  /** What the card network calls the payment. */
  networkTransactionId: optional(text),
  /** Link id (Mastercard), beside it. */
  networkLinkId: optional(text),
};

/** Kept on the transaction as it came. */
export const processorDetails = {
  ...ownReferences,
  ...networkNames,
  /** What the issuer found when it compared address and cvc. `code` is the network's own letter. */
  checks: optional(
    record({
      avs: optional(
        record({ code: optional(text), address: optional(checkResult), postalCode: optional(checkResult) }),
      ),
      cvc: optional(record({ code: optional(text), result: checkResult })),
    }),
  ),
  /** The network's decline code as it came, and its advice code. */
  networkDeclineCode: optional(text),
  networkAdviceCode: optional(text),
  advice: optional(oneOf(...declineAdvices)),
  /** Less than was asked for: a partial approval. */
  approvedMinor: optional(count),
  /** The card has another expiry by now (account updater). */
  updatedExpiry: optional(record({ expMonth: count, expYear: count })),
};
const details = record(processorDetails);
export interface ProcessorDetails extends Stored<typeof details> {}
export type OwnReferences = Pick<ProcessorDetails, keyof typeof ownReferences>;

/** What a first payment was called, by its processor and by the network: later charges of the card name it. */
export const firstPayment = record({
  processor: text,
  ...ownReferences,
  ...networkNames,
  authorization: optional(text),
});
type FirstPayment = Stored<typeof firstPayment>;

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

/** What later charges of the card name a first payment by. */
export const laterChargeReferences = (
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
