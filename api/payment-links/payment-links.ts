/** Payment links over the API: made, read, divided anew, disabled. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { fromMap } from '../../shared/contract/present-payment.js';
import {
  type LinkMerchantSettings,
  linkStatusAt,
  type PaymentLink,
} from '../../shared/domain/payment-link/payment-link.js';
import { type SplitDestination, splitPayment } from '../../shared/domain/payment-link/split.js';
import { mayUseMerchant, type Principal } from '../../shared/domain/principal.js';
import { sessionMethodTypes } from '../../shared/domain/session/session.js';
import { guidFrom, newSeed } from '../../shared/ids.js';
import { checkTargetUrl } from '../../shared/outbound/target-url.js';
import type { PaymentLinkFilter } from '../../shared/store/payment-link.repository.js';
import type { PageQuery } from '../http/paging.js';
import { refuseUnchargeable } from '../merchants/check-chargeable.js';
import { refuseSuspended } from '../payments/check-payment-request.js';
import type { Caller } from '../payments/payment-deps.js';
import { type LinkDeps, linksUrlOf } from './link-deps.js';
import type { PaymentLinkQuery } from './payment-link.schema.js';
import type { PaymentLinkBody } from './payment-link-request.schema.js';
import { presentPaymentLink, shareUrlOf } from './present-payment-link.js';

type Asker = Pick<Caller, 'principal' | 'traceId' | 'idempotency'>;

const MINUTE_MS = 60_000;

const invalid = (field: string, reason: string) =>
  new GatewayError('request-validation-errors', { params: { [field]: [reason] } });

/** Currencies of the payments of a link. @throws {GatewayError} when nothing says them. */
function currenciesOf({ amount, settings }: PaymentLinkBody, merchant: LinkMerchantSettings | undefined): string[] {
  if (settings.amountMode === 'fixed' && amount) return [amount.currency];
  const { allowedCurrencies } = settings.flexibleAmount ?? {};
  const only = amount?.currency ?? merchant?.defaultCurrency;
  if (allowedCurrencies) return [...allowedCurrencies];
  if (only !== undefined) return [only];
  throw invalid('settings.flexibleAmount.allowedCurrencies', 'is required where the merchant has no defaultCurrency');
}

/**
 * The parts go to merchants of the same client that the key may use, and are not more than a fixed amount.
 * @throws {GatewayError} `merchant-not-found`, `forbidden`, `too-many-requests`, `request-validation-errors`.
 */
async function checkSplit(
  deps: LinkDeps,
  principal: Principal,
  link: Pick<PaymentLink, 'merchantId' | 'amount' | 'settings'>,
  destinations: readonly SplitDestination[],
): Promise<void> {
  for (const [at, { destinationMerchantId }] of destinations.entries()) {
    const field = `splitDestinations.${at}.destinationMerchantId`;
    await deps.authorizeMerchant(principal, destinationMerchantId, field);
  }
  const { amount, merchantId: ownMerchantId, settings } = link;
  if (settings.amountMode === 'flexible' || !amount) return;
  const { totalMinor, currency, taxMinor, details } = amount;
  const payment = { totalMinor, currency, taxMinor: details?.tax?.amountMinor ?? taxMinor, ownMerchantId };
  if (splitPayment(payment, destinations)) return;
  throw invalid('splitDestinations', 'exceed the total, or have more decimals than the currency');
}

/** @throws {GatewayError} `request-validation-errors` when this installation cannot call the URL. */
function checkCallback({ config }: LinkDeps, { settings: { callbackUrl } }: PaymentLinkBody): void {
  const rules = { environment: config.environment, allowPrivateNetworks: config.callbackAllowPrivateNetworks };
  const problem = callbackUrl === undefined ? undefined : checkTargetUrl(callbackUrl, rules);
  if (problem) throw invalid('settings.callbackUrl', problem);
}

function lifetimeOf(body: PaymentLinkBody, merchant: LinkMerchantSettings | undefined, now: Date) {
  const minutes = merchant?.defaultExpirationMinutes;
  const from = body.validFrom ?? now;
  const validUntil =
    body.validUntil ?? (minutes === undefined ? undefined : new Date(from.getTime() + minutes * MINUTE_MS));
  return {
    ...(body.validFrom && { validFrom: body.validFrom }),
    ...(validUntil && { validUntil, checkAt: validUntil }),
  };
}

function newLink(
  body: PaymentLinkBody,
  { principal, traceId }: Asker,
  made: { readonly seed: string; readonly now: Date; readonly merchant: LinkMerchantSettings | undefined },
): PaymentLink {
  const { now, merchant } = made;
  const { amount, items, settings } = body;
  return {
    _id: guidFrom(made.seed),
    externalId: newSeed(),
    clientId: principal.clientId,
    keyId: principal.rootKeyId ?? principal.keyId,
    merchants: principal.merchants,
    merchantId: body.merchantId,
    traceId,
    type: body.type,
    status: 'active',
    createdAt: now,
    updatedAt: now,
    ...(amount && { amount }),
    currencies: currenciesOf(body, merchant),
    settings: { ...settings, skipPreCheckout: settings.skipPreCheckout ?? false },
    ...lifetimeOf(body, merchant, now),
    ...(body.displayName !== undefined && { displayName: body.displayName }),
    ...(body.description !== undefined && { description: body.description }),
    ...(items && {
      items: items.map(({ metadata, ...item }) => ({ ...item, ...(metadata && { metadata: fromMap(metadata) }) })),
    }),
    splitDestinations: body.splitDestinations ?? [],
    entries: 0,
    claim: 1,
  };
}

async function createPaymentLink(deps: LinkDeps, body: PaymentLinkBody, asker: Asker): Promise<PaymentLink> {
  const seed = asker.idempotency?.seed ?? newSeed();
  // A former call with the same key may have made it.
  const made = asker.idempotency?.resumed ? await deps.links.findById(guidFrom(seed)) : undefined;
  if (made) return made;
  await refuseSuspended(deps, body.merchantId);
  checkCallback(deps, body);
  const { paymentMethodTypes: types = sessionMethodTypes, paymentMethods: ids } = body.settings;
  await refuseUnchargeable(deps, { merchantId: body.merchantId, types, ids });
  const merchant = await deps.linkSettings.find(body.merchantId);
  if (body.type === 'quick-pay' && merchant?.quickPayEnabled === false) {
    throw invalid('type', 'must not be quick-pay: the settings of the merchant switch it off');
  }
  await checkSplit(
    deps,
    asker.principal,
    { ...body, settings: { ...body.settings, skipPreCheckout: false } },
    body.splitDestinations ?? [],
  );
  const link = newLink(body, asker, { seed, now: deps.clock.now(), merchant });
  if ((await deps.links.insert(link)) === 'inserted') return link;
  return (await deps.links.findById(link._id)) ?? link;
}

/** @throws {GatewayError} `payment-link-not-found`, also for another client's and for a merchant the key may not use. */
async function readPaymentLink(deps: LinkDeps, id: string, principal: Principal): Promise<PaymentLink> {
  const link = await deps.links.findById(id.toLowerCase());
  const seen = link && mayUseMerchant(principal, { id: link.merchantId, clientId: link.clientId });
  if (!seen) throw new GatewayError('payment-link-not-found');
  return link;
}

async function disablePaymentLink(deps: LinkDeps, id: string, principal: Principal): Promise<void> {
  const link = await readPaymentLink(deps, id, principal);
  if (link.status === 'disabled') throw new GatewayError('payment-link-not-found');
  if (await deps.links.move(link._id, ['active', 'expired'], 'disabled', deps.clock.now())) return;
  throw new GatewayError('conflict', { message: 'The payment link is completed and accepts no more payments.' });
}

async function replaceSplit(
  deps: LinkDeps,
  id: string,
  destinations: readonly SplitDestination[],
  principal: Principal,
): Promise<PaymentLink> {
  const link = await readPaymentLink(deps, id, principal);
  await checkSplit(deps, principal, link, destinations);
  return (await deps.links.setSplit(link._id, destinations, deps.clock.now())) ?? link;
}

export function makePaymentLinkUseCases(deps: LinkDeps) {
  const address = { linksUrl: linksUrlOf(deps.config), publicBaseUrl: deps.config.publicBaseUrl };
  return {
    createPaymentLink: (body: PaymentLinkBody, asker: Asker) => createPaymentLink(deps, body, asker),
    readPaymentLink: (id: string, principal: Principal) => readPaymentLink(deps, id, principal),
    disablePaymentLink: (id: string, principal: Principal) => disablePaymentLink(deps, id, principal),
    replaceSplit: (id: string, destinations: readonly SplitDestination[], principal: Principal) =>
      replaceSplit(deps, id, destinations, principal),
    listPaymentLinks: ({ page, size, ...filter }: PaymentLinkQuery, principal: Principal) =>
      deps.links.list(principal, filter as PaymentLinkFilter, { page, size }, deps.clock.now()),
    /** Payments that were made through the link, newest first. */
    async listLinkPayments(id: string, page: PageQuery, principal: Principal) {
      const { _id, clientId } = await readPaymentLink(deps, id, principal);
      return deps.queries.listByLink(clientId, _id, page);
    },
    presentPaymentLink: (link: PaymentLink) => presentPaymentLink(link, address, deps.clock.now()),
    /** Address of the page of a link. @throws {GatewayError} `not-found` when there is none. */
    async shareUrl(externalId: string): Promise<string> {
      const link = await deps.links.findByExternalId(externalId);
      if (!link) throw new GatewayError('payment-link-not-found');
      return shareUrlOf(link, address);
    },
    linkStatus: (link: PaymentLink) => linkStatusAt(link, deps.clock.now()),
  };
}

type PaymentLinkUseCases = ReturnType<typeof makePaymentLinkUseCases>;

declare module '../deps.js' {
  interface UseCases extends PaymentLinkUseCases {}
}
