import { GatewayError } from '../../shared/contract/gateway-error.js';
import { isGranted, type Principal } from '../../shared/domain/principal.js';

/** The object that already has the reference. Without `merchantId` it is a session of some merchant. */
export interface ReferenceHolder {
  readonly id: string;
  readonly status: string;
  readonly sameRequest: boolean;
  /** `client`: customers belong to no merchant. */
  readonly merchantId?: number | 'client' | undefined;
}

function maySee(principal: Pick<Principal, 'merchants'>, merchantId: ReferenceHolder['merchantId']): boolean {
  if (merchantId === 'client') return true;
  return merchantId === undefined ? principal.merchants === 'all' : isGranted(principal, merchantId);
}

const refusal = ({ id, status, sameRequest }: ReferenceHolder): GatewayError =>
  new GatewayError('duplicated-reference-id', {
    params: { existingId: [id], existingStatus: [status], sameRequest: [String(sameRequest)] },
  });

/**
 * Builds the 409 that explains a duplicate (docs/decisions.md, "duplicate reference"): which object has the reference, and whether it
 * was created by the same request. References belong to the client, the objects to its merchants: a key that may not see that merchant
 * learns only that the reference is used, in the same answer for every such object (docs/security.md#hidden-references).
 *
 * Each flow finds the holder itself, because the look-up differs: a payment (or a session that holds its reference) by the key of the
 * payment, an operation by its transaction in the payment that has the key, sessions and customers by unique indexes of their own
 * collections. The guarded write decides. The look-up only explains the refusal, and the holder may have changed meanwhile. Only a
 * payment with a wallet token looks before it writes, so that a used reference does not use up the token.
 */
export function duplicateReference(principal: Pick<Principal, 'merchants'>, holder: ReferenceHolder): GatewayError {
  return refusal(maySee(principal, holder.merchantId) ? holder : { id: '', status: '', sameRequest: false });
}
