import { GatewayError } from '../../shared/contract/gateway-error.js';
import { body } from '../../shared/contract/joi.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import { mayUseMerchant, type Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { pathId } from '../http/path-id.js';

interface LinkIdParams {
  readonly linkId: string;
}

export const linkIdParams = body<LinkIdParams>({ linkId: pathId() });

/** @throws {GatewayError} `payment-link-not-found`, also for another client's link and for a merchant that the key may not use. */
export async function readPaymentLink(
  deps: Pick<ApiDeps, 'links'>,
  id: string,
  principal: Principal,
): Promise<PaymentLink> {
  const link = await deps.links.findById(id.toLowerCase());
  const seen = link && mayUseMerchant(principal, { id: link.merchantId, clientId: link.clientId });
  if (!seen) throw new GatewayError('payment-link-not-found');
  return link;
}
