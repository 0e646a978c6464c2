import { GatewayError } from '../../shared/contract/gateway-error.js';
import { mayUseMerchant } from '../../shared/domain/principal.js';
import type { AuthorizeMerchant } from '../deps.js';

/**
 * The only place that decides whether a key may use a merchant that a request names (docs/security.md#access-to-merchants,
 * docs/security.md#ids-reveal-nothing).
 */
export function createAuthorizeMerchant(merchants: {
  findMerchant(id: number): Promise<{ id: number; clientId: string } | undefined>;
}): AuthorizeMerchant {
  return async (principal, merchantId, field = 'merchantId') => {
    const merchant = await merchants.findMerchant(merchantId);
    if (!merchant) throw new GatewayError('merchant-not-found', { params: { [field]: ['is not a known merchant'] } });
    if (!mayUseMerchant(principal, merchant)) {
      throw new GatewayError('forbidden', {
        params: { [field]: ['is a merchant that these credentials cannot access'] },
      });
    }
  };
}
