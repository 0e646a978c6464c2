/** A wallet token on its way through the `wallet` pool: sealed when it comes in, opened or refused, gone a minute later. */
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
  /** What it held, sealed, when it was opened. */
  readonly credential?: Envelope;
  /** Why it was refused. */
  readonly reason?: string;
  readonly createdAt: Date;
  readonly leaseUntil: Date;
  /** The row is removed then, whatever became of it. */
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
