import { GatewayError } from '../../shared/contract/gateway-error.js';

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
