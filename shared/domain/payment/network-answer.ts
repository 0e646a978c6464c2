/** What a processor answers beside the outcome of an operation: its own references, and what networks and issuers add. Pure. */
import { defined } from '../defined.js';
import { count, oneOf, optional, record, type Stored, text } from '../described.js';

export const checkResults = ['match', 'no-match', 'not-checked'] as const;
const checkResult = oneOf(...checkResults);

export const declineAdvices = ['do-not-retry', 'retry-later', 'update-credentials'] as const;
/** What the issuer advises after a decline. */
export type DeclineAdvice = (typeof declineAdvices)[number];

/** The processor's references of an operation. */
const ownReferences = {
  /** Shown as `ticket`. */
  ticket: optional(text),
  /** Id of the operation in the processor's API; sent back to the processor, never shown. */
  processorReference: optional(text),
  /** ISO 8583 field 37. */
  retrievalReference: optional(text),
};

/** The network's ids, which are sent with later charges of the stored card. */
const networkNames = {
  /** The card network's id of the payment. */
  networkTransactionId: optional(text),
  /** Mastercard's link id, which is sent beside it. */
  networkLinkId: optional(text),
};

/** Stored with the transaction as the processor sent it. */
export const processorDetails = {
  ...ownReferences,
  ...networkNames,
  /** What the issuer found when it compared the address and the cvc. `code` is the network's own letter. */
  checks: optional(
    record({
      avs: optional(
        record({ code: optional(text), address: optional(checkResult), postalCode: optional(checkResult) }),
      ),
      cvc: optional(record({ code: optional(text), result: checkResult })),
    }),
  ),
  /** The network's decline code as it was received, and its advice code. */
  networkDeclineCode: optional(text),
  networkAdviceCode: optional(text),
  advice: optional(oneOf(...declineAdvices)),
  /** Set when less than the requested amount was approved (partial approval). */
  approvedMinor: optional(count),
  /** The card's new expiry, if it has changed (account updater). */
  updatedExpiry: optional(record({ expMonth: count, expYear: count })),
};
const details = record(processorDetails);
export interface ProcessorDetails extends Stored<typeof details> {}
export type OwnReferences = Pick<ProcessorDetails, keyof typeof ownReferences>;

/** References of a first payment, of its processor and of the network: later charges of the card name the payment by them. */
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

/** Returns the references by which later charges of the card name a first payment. */
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
