/** A wallet token in the `wallet` pool: sealed when it arrives, opened or refused, removed a minute later. */
import type { Envelope } from '../payment/payment.js';
import type { WalletType } from './integration.js';

export interface WalletOpening {
  /** `wop_…` */
  readonly _id: string;
  readonly schemaVersion?: number;
  readonly clientId: string;
  readonly merchantId: number;
  readonly walletType: WalletType;
  readonly status: 'waiting' | 'opened' | 'refused';
  /** The token as it was sent, sealed. */
  readonly payload: Envelope;
  /** Sealed content of the token, once it was opened. */
  readonly credential?: Envelope;
  /** Why it was refused. */
  readonly reason?: string;
  readonly createdAt: Date;
  readonly leaseUntil: Date;
  /** When the database removes the document, regardless of its status. */
  readonly destroyAt: Date;
}

export const openingBinding = (
  { _id, clientId }: Pick<WalletOpening, '_id' | 'clientId'>,
  field: 'payload' | 'credential',
) => ({
  recordId: _id,
  field,
  clientId,
});
