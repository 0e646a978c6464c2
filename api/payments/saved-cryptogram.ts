/** A wallet's cryptogram that a `temporal` token keeps: it proves the payer of one payment (ARCHITECTURE.md, decision 66). */
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import { walletOfSource } from '../../shared/domain/wallet/integration.js';
import type { ApiDeps } from '../deps.js';
import type { SourceUse } from './wallet-source.js';

/**
 * Returns the use of the cryptogram that a payment claims before it is stored; `undefined` when the card has none, or another payment has
 * claimed it. Such a card is charged like any stored one.
 * @param owner the payment that would use it; absent: any payment but those that have been made
 */
export async function findUnusedCryptogram(
  { walletUses }: Pick<ApiDeps, 'walletUses'>,
  { _id, source, withCryptogram }: PaymentInstrument,
  owner?: string,
): Promise<SourceUse | undefined> {
  if (!withCryptogram || !source) return undefined;
  const use = { walletType: walletOfSource[source], uniqueId: `saved:${_id}` };
  const usedBy = await walletUses.findOwner(use);
  return usedBy === undefined || usedBy === owner ? use : undefined;
}
