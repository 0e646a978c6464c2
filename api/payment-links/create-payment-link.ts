import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { fromMap } from '../../shared/contract/present-payment.js';
import { defined } from '../../shared/domain/defined.js';
import { toDecimalText } from '../../shared/domain/money/amount.js';
import type { LinkMerchantSettings, PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import type { LeastAmount } from '../../shared/domain/session/rules.js';
import { sessionMethodTypes } from '../../shared/domain/session/session.js';
import { after, earliest, latest, MINUTE_MS } from '../../shared/domain/time.js';
import { guidFrom, newSeed } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import { type Asker, defineEndpoint } from '../http/define-endpoint.js';
import { refuseUnchargeable } from '../merchants/check-chargeable.js';
import { callbackProblem, refuseSuspended } from '../payments/check-payment-request.js';
import { fixedLinkRequest, paymentLink, quickPayRequest } from './link-examples.js';
import { nudgeAtPicture } from './link-picture.js';
import { paymentLinkSchema } from './payment-link.schema.js';
import { flexibleProblems, type PaymentLinkBody, paymentLinkRequestSchema } from './payment-link-request.schema.js';
import { presentPaymentLink, shareUrlOf } from './present-payment-link.js';
import { checkSplit } from './replace-split-destinations.js';

/**
 * Returns the currencies in which the link can be paid. The first, that of the amount if there is one, is offered to the payer.
 * @throws {GatewayError} when neither the request nor the merchant's settings name a currency.
 */
function currenciesOf({ amount, settings }: PaymentLinkBody, merchant: LinkMerchantSettings | undefined): string[] {
  if (settings.amountMode === 'fixed' && amount) return [amount.currency];
  const { allowedCurrencies } = settings.flexibleAmount ?? {};
  const only = amount?.currency ?? merchant?.defaultCurrency;
  if (allowedCurrencies) return [...new Set([...(amount ? [amount.currency] : []), ...allowedCurrencies])];
  if (only !== undefined) return [only];
  throw invalidField(
    'settings.flexibleAmount.allowedCurrencies',
    'is required: the link settings of the merchant (PUT /v1/payment-links/settings) have no defaultCurrency',
  );
}

function leastAmountOf({ amount, settings }: PaymentLinkBody): LeastAmount | undefined {
  const { minAmount } = settings.flexibleAmount ?? {};
  if (minAmount !== undefined) return { field: 'settings.flexibleAmount.minAmount', total: minAmount };
  if (settings.amountMode === 'flexible' || !amount) return undefined;
  return { field: 'amount.total', total: toDecimalText(amount.totalMinor, amount.currency) };
}

/** @throws {GatewayError} `request-validation-errors` when this installation cannot call the URL. */
function checkCallback({ config }: ApiDeps, { settings: { callbackUrl } }: PaymentLinkBody): void {
  const problem = callbackUrl === undefined ? undefined : callbackProblem(callbackUrl, config);
  if (problem) throw invalidField('settings.callbackUrl', problem);
}

/**
 * Checks the flexible amounts in the currencies of the link, which may come from the merchant's settings instead of the request.
 * @throws {GatewayError} `payment-invalid-amount` when no payer could pay the suggested or allowed amounts.
 */
function checkAmounts(body: PaymentLinkBody, { currencies }: PaymentLink): void {
  if (body.settings.amountMode === 'fixed') return;
  const [problem] = flexibleProblems(body, currencies);
  if (problem) throw new GatewayError(problem.code, { params: { [problem.field]: [problem.reason] } });
}

/** Latest time that the wire format can express. */
const LAST_DATE = new Date('9999-12-31T23:59:59.999Z');

function lifetimeOf(body: PaymentLinkBody, merchant: LinkMerchantSettings | undefined, now: Date) {
  const minutes = merchant?.defaultExpirationMinutes;
  // A link that is valid since yesterday still gets its whole time.
  const from = latest(body.validFrom ?? now, now);
  const validUntil =
    body.validUntil ?? (minutes === undefined ? undefined : earliest(after(from, minutes * MINUTE_MS), LAST_DATE));
  return {
    ...(body.validFrom && { validFrom: body.validFrom }),
    ...(validUntil && { validUntil, checkAt: validUntil }),
  };
}

function newLink(
  body: PaymentLinkBody,
  { principal, traceId }: Asker,
  made: Pick<ApiDeps, 'config'> & {
    readonly seed: string;
    readonly now: Date;
    readonly merchant: LinkMerchantSettings | undefined;
  },
): PaymentLink {
  const { now, merchant } = made;
  const externalId = newSeed();
  const { amount, items, settings } = body;
  return {
    _id: guidFrom(made.seed),
    externalId,
    clientId: principal.clientId,
    keyId: principal.rootKeyId ?? principal.keyId,
    merchants: principal.merchants,
    merchantId: body.merchantId,
    traceId,
    type: body.type,
    status: 'active',
    createdAt: now,
    updatedAt: now,
    ...defined({ amount, displayName: body.displayName, description: body.description }),
    currencies: currenciesOf(body, merchant),
    settings: { ...settings, skipPreCheckout: settings.skipPreCheckout ?? false },
    ...lifetimeOf(body, merchant, now),
    ...(items && {
      items: items.map(({ metadata, ...item }) => ({ ...item, ...(metadata && { metadata: fromMap(metadata) }) })),
    }),
    splitDestinations: body.splitDestinations ?? [],
    entries: 0,
    claim: 1,
    picture: { address: shareUrlOf(made.config, externalId), drawAt: now },
  };
}

/** @throws {GatewayError} as the endpoint declares */
export async function createPaymentLink(deps: ApiDeps, body: PaymentLinkBody, asker: Asker): Promise<PaymentLink> {
  const seed = asker.idempotency?.seed ?? newSeed();
  // An earlier call with the same Idempotency-Key may have created it.
  const made = asker.idempotency?.resumed ? await deps.links.findById(guidFrom(seed)) : undefined;
  if (made) return made;
  await refuseSuspended(deps, body.merchantId);
  checkCallback(deps, body);
  const { paymentMethodTypes: types = sessionMethodTypes, paymentMethods: ids } = body.settings;
  const merchant = await deps.linkSettings.find(body.merchantId);
  const currencies = currenciesOf(body, merchant);
  await refuseUnchargeable(deps, { merchantId: body.merchantId, types, ids, currencies, least: leastAmountOf(body) });
  if (body.type === 'quick-pay' && merchant?.quickPayEnabled === false) {
    throw invalidField('type', 'must not be quick-pay: the settings of the merchant switch it off');
  }
  const link = newLink(body, asker, { config: deps.config, seed, now: deps.clock.now(), merchant });
  checkAmounts(body, link);
  await checkSplit(deps, asker.principal, link, link.splitDestinations, ['splitDestinations']);
  if ((await deps.links.insert(link)) === 'inserted') {
    nudgeAtPicture(deps, link);
    return link;
  }
  return (await deps.links.findById(link._id)) ?? link;
}

export const createPaymentLinkEndpoint = defineEndpoint({
  method: 'post',
  path: '/v1/payment-links',
  operationId: 'createPaymentLink',
  summary: 'Create a payment link',
  description:
    'Share `shareUrl`, or print `qrCodeUrl`. A `one-time` link accepts one successful payment, however many payers try; ' +
    'the other types any number. Each successful payment is sent to `settings.callbackUrl`, else to the merchant’s `notificationUrl`. With `splitDestinations` each payment is split between your merchants; the payment shows the parts.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  idempotent: true,
  request: { body: paymentLinkRequestSchema },
  responses: { 201: paymentLinkSchema },
  errors: ['payment-invalid-amount', 'currency-not-found'],
  examples: {
    request: { order: fixedLinkRequest, counter: quickPayRequest },
    response: { 201: { made: paymentLink } },
  },
  handle: async (context, deps) => presentPaymentLink(deps, await createPaymentLink(deps, context.body, context)),
});
