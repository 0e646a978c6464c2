/**
 * Our references at Adyen. The reference of a payment is our key; that of a modification is its key followed by its kind. A notification
 * may repeat either of the two: without the kind, the outcome of a capture could be taken for that of the authorization.
 */
const kinds = ['capture', 'cancel', 'refund'] as const;
export type ModificationKind = (typeof kinds)[number];

export const referenceOf = (kind: ModificationKind, key: string): string => `${key}-${kind}`;

/** Prefix of the gateway's transaction ids. */
const OURS = 'txn_';

export const isOurs = (reference: string | undefined): reference is string => reference?.startsWith(OURS) === true;

const REVERSAL = '-reverse';
const CLOSING = '-close';

/** Returns the reference for closing a payment for which Adyen wants an action of the payer. The core has no such operation. */
export const closingReference = (key: string): string => `${key}${CLOSING}`;

export const isClosing = (reference: string): boolean => reference.endsWith(CLOSING);

/** Returns the key of a modification of this kind; `undefined` when the reference is of another kind. */
export function keyOfReference(kind: ModificationKind, reference: string): string | undefined {
  const suffix = `-${kind}`;
  return reference.endsWith(suffix) ? reference.slice(0, -suffix.length) : undefined;
}

/** Returns the key of the reversal, from its own reference or from that of its payment. */
export const reversalKey = (reference: string): string =>
  reference.endsWith(REVERSAL) ? reference : `${reference}${REVERSAL}`;

/** Returns the key of a refund or of a reversal: Adyen reverses a captured payment by a refund. */
export const keyOfRefund = (reference: string): string | undefined =>
  reference.endsWith(REVERSAL) ? reference : keyOfReference('refund', reference);

/** Returns the key of the payment that is reversed, from its own key or from that of the reversal. */
export const reversedKey = (reference: string): string =>
  reference.endsWith(REVERSAL) ? reference.slice(0, -REVERSAL.length) : reference;

/** Returns the key of the operation that a reference names, for every kind of operation. */
export function anyKeyOf(reference: string): string {
  const kind = kinds.find((known) => reference.endsWith(`-${known}`));
  return kind === undefined ? reference : reference.slice(0, -kind.length - 1);
}
