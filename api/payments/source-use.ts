/** Sources that are wallet tokens, and that such a token is used once. */
import type { WalletType } from '../../shared/domain/wallet/integration.js';

export const walletOf = { 'wallet-a-pay-token': 'wallet-a-pay', 'wallet-b-pay-token': 'wallet-b-pay' } as const;
export type WalletSource = keyof typeof walletOf;
export const isWalletSource = (source: string): source is WalletSource => Object.hasOwn(walletOf, source);

/** The use of a token that a payment claims before it is stored. */
export interface SourceUse {
  readonly walletType: WalletType;
  readonly uniqueId: string;
}
