import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { paymentMethodCatalog } from '../../shared/domain/payment-method-catalog.js';
import type { Route } from '../../shared/domain/routing/route.js';

function presentRoute({ conditions, ...route }: Route): object {
  if (!conditions?.amount) return { ...route, ...(conditions && { conditions }) };
  const { from, to } = conditions.amount;
  const amount = { ...(from !== undefined && { from: Number(from) }), ...(to !== undefined && { to: Number(to) }) };
  return { ...route, conditions: { ...conditions, amount } };
}

const presentSettings = ({ routes, ...settings }: MerchantPaymentMethod['settings']): object => ({
  ...settings,
  ...(routes && { routes: routes.map(presentRoute) }),
});

/** Presents the configuration on the wire (docs/decisions.md, "merchant payment method (response)"). */
export function presentPaymentMethod(method: MerchantPaymentMethod): object {
  const { id, mode, enabled, settings, threeDs, createdAt, updatedAt } = method;
  const { name, type } = paymentMethodCatalog[id];
  return {
    id,
    name,
    type,
    mode,
    enabled,
    settings: presentSettings(settings),
    threeDS: { enabled: threeDs?.enabled ?? false, provider: threeDs?.provider ?? null },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  };
}
