import { randomBytes } from 'node:crypto';

/** Prefix tells the kind; 128 random bits follow, in base64url without its two punctuation characters' trouble: hex. */
const newId = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`;

export const newPaymentId = () => newId('pay');
export const newTransactionId = () => newId('txn');
export const newClientId = () => newId('cli');
export const newKeyId = () => newId('key');
export const newTraceId = () => randomBytes(16).toString('hex');
/** Proof of a claim or of a write: unique per attempt, never a secret. */
export const newToken = () => randomBytes(9).toString('base64url');
