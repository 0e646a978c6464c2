import { invalidField } from '../../shared/contract/gateway-error.js';
import { amountRanges } from '../../shared/domain/money/amount-range.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import type { SplitDestination } from '../../shared/domain/payment-link/split.js';
import type { Principal } from '../../shared/domain/principal.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { refuseSuspended } from '../payments/check-payment-request.js';
import { splitAmount } from './divide-amount.js';
import { dividedLink, linkId, splitDestinations } from './link-examples.js';
import { paymentLinkSchema } from './payment-link.schema.js';
import { presentPaymentLink } from './present-payment-link.js';
import { linkIdParams, readPaymentLink } from './read-payment-link.js';
import { splitDestinationsSchema } from './split.schema.js';

type LinkAmount = NonNullable<PaymentLink['amount']>;

/** Place of the destinations in the body, for field paths in errors: below `splitDestinations`, or the whole body. */
type Place = readonly [] | readonly ['splitDestinations'];

/**
 * Checks that the parts go to merchants of the same client that the key may use and that accept new payments, and that the parts do
 * not exceed the largest payment by the link, in any of its currencies.
 * @throws {GatewayError} `merchant-not-found`, `forbidden`, `too-many-requests`, `request-validation-errors`.
 */
export async function checkSplit(
  deps: Pick<ApiDeps, 'authorizeMerchant' | 'merchants'>,
  principal: Principal,
  link: Pick<PaymentLink, 'merchantId' | 'amount' | 'settings' | 'currencies'>,
  destinations: readonly SplitDestination[],
  place: Place,
): Promise<void> {
  for (const [at, { destinationMerchantId }] of destinations.entries()) {
    const field = [...place, at, 'destinationMerchantId'].join('.');
    await deps.authorizeMerchant(principal, destinationMerchantId, field);
    await refuseSuspended(deps, destinationMerchantId, field);
  }
  const divided = { merchantId: link.merchantId, splitDestinations: destinations };
  const isDivisible = (amount: LinkAmount) => splitAmount(divided, amount) !== undefined;
  const amounts = largestAmounts(link);
  const without = amounts.find((amount) => !isDivisible(amount));
  if (!without) return;
  // A payer may choose among several currencies, so the amount must be divisible in each of them.
  const where = amounts.length > 1 ? `, in ${without.currency}` : '';
  throw invalidField(place[0] ?? 'body', `exceed the total, or have more decimals than the currency${where}`);
}

/** Returns the largest amount of one payment by the link, in each of its currencies. */
function largestAmounts({ amount, settings, currencies }: Parameters<typeof checkSplit>[2]): LinkAmount[] {
  if (settings.amountMode === 'fixed') return amount ? [amount] : [];
  const { maxAmount } = settings.flexibleAmount ?? {};
  return currencies.map((currency) => {
    const [range] = amountRanges(undefined, maxAmount, currency) ?? [];
    return { totalMinor: range?.maxMinor ?? Number.MAX_SAFE_INTEGER, currency };
  });
}

async function replaceSplit(
  deps: Pick<ApiDeps, 'links' | 'clock' | 'authorizeMerchant' | 'merchants'>,
  id: string,
  destinations: readonly SplitDestination[],
  principal: Principal,
): Promise<PaymentLink> {
  const link = await readPaymentLink(deps, id, principal);
  await checkSplit(deps, principal, link, destinations, []);
  return (await deps.links.setSplit(link._id, destinations, deps.clock.now())) ?? link;
}

export const replaceSplitDestinationsEndpoint = defineEndpoint({
  method: 'put',
  path: '/v1/payment-links/:linkId/split-destinations',
  operationId: 'replaceSplitDestinations',
  summary: 'Replace the split destinations of a link',
  description:
    'All destinations are replaced; an empty array removes them. Existing payments keep their parts. Fixed amounts are ' +
    'taken first, percentages are rounded down to the minor unit, and the rest goes to the residual destination, else to the link’s own merchant.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: linkIdParams, body: splitDestinationsSchema },
  responses: { 200: paymentLinkSchema },
  errors: ['payment-link-not-found', 'merchant-not-found', 'forbidden'],
  examples: {
    params: linkId,
    request: { two: splitDestinations, none: [] },
    response: { 200: { replaced: dividedLink } },
  },
  handle: async ({ params, body, principal }, deps) =>
    presentPaymentLink(deps, await replaceSplit(deps, params.linkId, body, principal)),
});
