/** Merchants as their client sees them. */

import type { Merchant } from '../../shared/domain/merchant.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { MerchantListQuery } from './merchant.schema.js';
import type { MerchantDeps } from './merchant-deps.js';

/** Those of the client that the key may use, newest first. */
export function listMerchants({ merchants }: MerchantDeps, query: MerchantListQuery, principal: Principal) {
  return merchants.pageMerchants({ ...query, clientId: principal.clientId, merchants: principal.merchants });
}

/** The merchant as it is now. The caller was authorized for it. */
export async function readMerchant({ merchants }: MerchantDeps, merchantId: number): Promise<Merchant> {
  const merchant = await merchants.readMerchant(merchantId);
  if (!merchant) throw new Error('A merchant that was just authorized is gone: merchants are never deleted');
  return merchant;
}
