import { createHash, randomUUID } from 'node:crypto';
import { randomBytesOf as random } from './random.js';

const ID_BYTES = 16;

/** Makes an id: the prefix names the kind, 128 random bits follow as hex. */
const newId = (prefix: string) => `${prefix}_${random(ID_BYTES).toString('hex')}`;

export const newPaymentId = () => newId('pay');
export const newTransactionId = () => newId('txn');
export const newClientId = () => newId('cli');
/** Whether a text has the shape of a client id. No other client id can be in the database. */
export const isClientId = (text: string): boolean => /^cli_[0-9a-f]{32}$/.test(text);
export const newKeyId = () => newId('key');
export const newAuditId = () => newId('aud');
export const newChainId = () => newId('chn');
/** Makes the part of an id behind its prefix, for an id that is chosen before the object is created. */
export const newSeed = () => random(ID_BYTES).toString('hex');
export const idFrom = (prefix: 'pay' | 'txn' | 'cus' | 'ses', seed: string) => `${prefix}_${seed}`;
export const newWalletOpeningId = () => newId('wop');
export const newTraceId = () => random(ID_BYTES).toString('hex');
/** Proof of a claim or of a write: unique per attempt, never a secret. */
export const newToken = () => random(9).toString('base64url');
/** Nonce for the content security policy of one page: a script without it cannot run there. */
export const newNonce = () => random(ID_BYTES).toString('base64url');

/** Ids of 3DS sessions are GUIDs (EMV 3DS, `threeDSServerTransID`), and cannot be guessed. */
export const newThreeDsSessionId = (): string => randomUUID();

/** Tokens of saved cards are GUIDs (docs/api.md#3ds-check). */
export const newInstrumentToken = (): string => randomUUID();

/** Returns the GUID of a seed, for a token that is chosen before the card is saved. */
export const guidFrom = (seed: string): string =>
  `${seed.slice(0, 8)}-${seed.slice(8, 12)}-4${seed.slice(13, 16)}-8${seed.slice(17, 20)}-${seed.slice(20, 32)}`;

const sha256 = (text: string) =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, 2 * ID_BYTES);

/** Returns the id of the payment of an attempt in a session: the same for the same attempt, whichever process creates the payment. */
export const paymentIdOfTry = (sessionId: string, attempt: number) => idFrom('pay', sha256(`${sessionId}:${attempt}`));

/**
 * Returns the id by which a receiver recognizes duplicates. It is the same for every attempt and replay of a delivery, and reveals
 * nothing about the delivery. A restored database gives its sequence numbers out again, so the id depends on the time too: an event
 * at another time is another event.
 */
export const eventIdOf = (deliveryId: string, at: Date) => `evt_${sha256(`${deliveryId} ${at.toISOString()}`)}`;
