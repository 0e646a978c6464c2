import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Principal } from '../../shared/domain/principal.js';

/** The helpful 409 (docs/decisions.md, "duplicate reference"): what the reference belongs to, and whether it is the same request. */
export function duplicateReference(existing: { id: string; status: string; sameRequest: boolean }): GatewayError {
  return new GatewayError('duplicated-reference-id', {
    params: {
      existingId: [existing.id],
      existingStatus: [existing.status],
      sameRequest: [String(existing.sameRequest)],
    },
  });
}

/** References are the client's, what has them its merchant's: a key that may not see that learns only that it is there. */
export const unseenReference = (): GatewayError => duplicateReference({ id: '', status: '', sameRequest: false });

/** Whether the key may know of a thing of this merchant; a thing without one is the client's. */
export const maySee = ({ merchants }: Pick<Principal, 'merchants'>, merchantId: number | undefined): boolean =>
  merchantId === undefined || merchants === 'all' || merchants.includes(merchantId);
