import { GatewayError } from '../../shared/contract/gateway-error.js';
import { isGranted, type Principal } from '../../shared/domain/principal.js';

/** What has the reference already. `merchantId` absent: a session of some merchant holds it. */
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
 * The helpful 409 (docs/decisions.md, "duplicate reference"): what the reference belongs to, and whether it is the same request.
 * References are the client's, what has them its merchant's: a key that may not see that learns only that it is there, in one
 * answer for all of it (docs/security.md#hidden-references).
 *
 * Each caller finds the holder itself, because what is asked differs: a payment (or a session that holds its reference) by the key of
 * the payment, an operation by its transaction in the payment that has the key, sessions and customers by unique indexes of their
 * own collections. What decides is the guarded write; what is found explains the refusal, and may have changed meanwhile. Only a
 * payment with a wallet token asks before it writes, so that a used reference does not use up the token.
 */
export function duplicateReference(principal: Pick<Principal, 'merchants'>, holder: ReferenceHolder): GatewayError {
  return refusal(maySee(principal, holder.merchantId) ? holder : { id: '', status: '', sameRequest: false });
}
