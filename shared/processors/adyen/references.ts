/**
 * Our references at Adyen. A payment's is our key. A modification's is its key with its kind after it, because a notification may
 * repeat either of both: without the kind, the outcome of a capture could be taken for that of the authorization.
 */
const kinds = ['capture', 'cancel', 'refund'] as const;
export type ModificationKind = (typeof kinds)[number];

export const referenceOf = (kind: ModificationKind, key: string): string => `${key}-${kind}`;

/** Transaction ids of the gateway begin so. */
const OURS = 'txn_';

export const isOurs = (reference: string | undefined): reference is string => reference?.startsWith(OURS) === true;

const REVERSAL = '-reverse';
const CLOSING = '-close';

/** Of the request that closes a payment for which Adyen wants the payer: none of the core's operations. */
export const closingReference = (key: string): string => `${key}${CLOSING}`;

export const isClosing = (reference: string): boolean => reference.endsWith(CLOSING);

/** The key of a modification of this kind; `undefined`: the reference is another one. */
export function keyOfReference(kind: ModificationKind, reference: string): string | undefined {
  const suffix = `-${kind}`;
  return reference.endsWith(suffix) ? reference.slice(0, -suffix.length) : undefined;
}

/** The key of the reversal that the reference is of, or of the payment's reversal. */
export const reversalKey = (reference: string): string =>
  reference.endsWith(REVERSAL) ? reference : `${reference}${REVERSAL}`;

/** The key of a refund, or of a reversal, which Adyen makes by a refund where the payment was captured. */
export const keyOfRefund = (reference: string): string | undefined =>
  reference.endsWith(REVERSAL) ? reference : keyOfReference('refund', reference);

/** The key of what a reversal takes back, by that of either. */
export const reversedKey = (reference: string): string =>
  reference.endsWith(REVERSAL) ? reference.slice(0, -REVERSAL.length) : reference;

/** The key of the operation that a reference names, whatever its kind. */
export function anyKeyOf(reference: string): string {
  const kind = kinds.find((known) => reference.endsWith(`-${known}`));
  return kind === undefined ? reference : reference.slice(0, -kind.length - 1);
}
