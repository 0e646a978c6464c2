import { randomBytes, randomUUID } from 'node:crypto';

/** Prefix tells the kind; 128 random bits follow, in base64url without its two punctuation characters' trouble: hex. */
const newId = (prefix: string) => `${prefix}_${randomBytes(16).toString('hex')}`;

export const newPaymentId = () => newId('pay');
export const newTransactionId = () => newId('txn');
export const newClientId = () => newId('cli');
export const newKeyId = () => newId('key');
export const newAuditId = () => newId('aud');
/** What an id is made of beside its prefix: for an id that is chosen before the thing is made. */
export const newSeed = () => randomBytes(16).toString('hex');
export const idFrom = (prefix: 'pay' | 'txn' | 'cus', seed: string) => `${prefix}_${seed}`;
export const newTraceId = () => randomBytes(16).toString('hex');
/** Proof of a claim or of a write: unique per attempt, never a secret. */
export const newToken = () => randomBytes(9).toString('base64url');

/** Tokens of saved cards are GUIDs (contract, 3DS check). */
export const newInstrumentToken = (): string => randomUUID();
