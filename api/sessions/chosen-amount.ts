import { GatewayError } from '../../shared/contract/gateway-error.js';
import { chooseAmount } from '../../shared/domain/session/rules.js';
import type { FlexibleAmount } from '../../shared/domain/session/session.js';

/**
 * Returns the amount that a payer chose, within the bounds of a session or link.
 * @param chosen `total` is decimal text
 * @throws {GatewayError} `payment-invalid-amount` naming `amount.total`, or `currency-not-found` naming `amount.currency`.
 */
export function chosenAmount(
  bounds: FlexibleAmount,
  chosen: { readonly total: string; readonly currency: string },
): { readonly totalMinor: number; readonly currency: string } {
  const found = chooseAmount(bounds, chosen);
  if (found.kind === 'amount') return { totalMinor: found.totalMinor, currency: found.currency };
  const code = found.field === 'currency' ? 'currency-not-found' : 'payment-invalid-amount';
  throw new GatewayError(code, { params: { [`amount.${found.field}`]: [found.reason] } });
}
