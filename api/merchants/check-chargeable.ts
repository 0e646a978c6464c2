/** Checks whether a payer could pay at all: sessions and links that no method can charge are refused when they are created. */

import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import { paymentMethodCatalog, supportsCurrency } from '../../shared/domain/payment-method-catalog.js';
import type { Route } from '../../shared/domain/routing/route.js';
import { currenciesOf, hasFeature, type LeastAmount, leastAmountOf } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { ApiDeps } from '../deps.js';
import { fitsTransfer, TOO_LONG_FOR_CODE } from '../payments/choose-payment-method.js';
import { chargeProblem } from './charge-problem.js';

type Deps = Pick<ApiDeps, 'methods' | 'chargeContexts'>;

/** Methods that a session or a link offers to its payer. */
interface Choice {
  readonly merchantId: number;
  readonly types: readonly string[];
  /** Absent: every type that the merchant has. */
  readonly ids?: readonly string[] | undefined;
  /** Currencies that the payment may have (ISO 4217); absent: any. */
  readonly currencies?: readonly string[] | undefined;
  readonly least?: LeastAmount | undefined;
}

interface Chargeable {
  readonly ids: ReadonlySet<string>;
  /** Why the other methods cannot be charged: `visa is disabled`. */
  readonly problems: readonly string[];
  /** Whether the amount alone keeps a method from being charged. */
  readonly tooMuch: boolean;
}

/** Why a method takes none of the currencies, worded to follow the code of the method; undefined when it takes one. */
function currencyProblem(
  { id, settings }: MerchantPaymentMethod,
  currencies: Choice['currencies'],
): string | undefined {
  if (!currencies) return undefined;
  const taken = currencies.filter((currency) => supportsCurrency(id, currency));
  if (taken.length === 0) return `does not take ${currencies.join(' or ')}`;
  // The other conditions of a route depend on the card or on the amount, which are not known yet.
  const isFor = ({ conditions }: Route) => conditions?.currencies?.some((currency) => taken.includes(currency)) ?? true;
  return (settings.routes?.some(isFor) ?? true) ? undefined : `has no route that takes ${taken.join(' or ')}`;
}

/** Whether no amount that may be paid fits into the QR code of a bank transfer. */
const isTooMuch = ({ id }: MerchantPaymentMethod, { least, currencies = [] }: Choice): boolean =>
  least !== undefined &&
  paymentMethodCatalog[id].type === 'bank-transfer' &&
  !currencies.some((currency) => supportsCurrency(id, currency) && fitsTransfer(least.total, currency));

/** What is known about the methods of a merchant. Not cached, so that a new method counts as soon as it is configured. */
async function readMethods({ methods, chargeContexts }: Deps, merchantId: number) {
  const found = await methods.findPaymentMethodsOf(merchantId);
  return { methods: found, context: await chargeContexts.now() };
}

/** Returns the methods of the choice by which the merchant can be paid, and why it cannot be paid by the others. */
function judgeMethods({ methods, context }: Awaited<ReturnType<typeof readMethods>>, choice: Choice): Chargeable {
  const { types, ids, currencies } = choice;
  const chosen = methods.filter(
    ({ id }) => types.includes(paymentMethodCatalog[id].type) && (ids?.includes(id) ?? true),
  );
  const judged = chosen.map((method) => {
    const problem = chargeProblem(method, context) ?? currencyProblem(method, currencies);
    return { id: method.id, problem, tooMuch: problem === undefined && isTooMuch(method, choice) };
  });
  return {
    ids: new Set(judged.flatMap(({ id, problem, tooMuch }) => (problem === undefined && !tooMuch ? [id] : []))),
    tooMuch: judged.some(({ tooMuch }) => tooMuch),
    problems: judged.flatMap(({ id, problem }) => (problem === undefined ? [] : [`${id} ${problem}`])),
  };
}

const chargeableMethods = async (deps: Deps, choice: Choice): Promise<Chargeable> =>
  judgeMethods(await readMethods(deps, choice.merchantId), choice);

/** Returns those of the currencies in which a method of the choice can be charged now. */
export async function chargeableCurrencies(
  deps: Deps,
  choice: Choice & { readonly currencies: readonly string[] },
): Promise<readonly string[]> {
  const known = await readMethods(deps, choice.merchantId);
  return choice.currencies.filter((one) => judgeMethods(known, { ...choice, currencies: [one] }).ids.size > 0);
}

const configureOne = (merchantId: number) =>
  `configure one with POST /v1/merchants/${merchantId}/payment-methods, or enable it with PUT`;

/**
 * @throws {GatewayError} when no method of the choice can be charged: `payment-invalid-amount` naming the amount where a bank transfer
 * could be charged with less, else `request-validation-errors` naming `merchantId`.
 */
export async function refuseUnchargeable(deps: Deps, choice: Choice): Promise<void> {
  const { ids, problems, tooMuch } = await chargeableMethods(deps, choice);
  if (ids.size > 0) return;
  if (tooMuch && choice.least) {
    const { field } = choice.least;
    throw new GatewayError('payment-invalid-amount', { params: { [field]: [`"${field}" ${TOO_LONG_FOR_CODE}`] } });
  }
  const { merchantId, types } = choice;
  const wanted = `no active payment method of type ${types.join(' or ')}${choice.ids ? ' among settings.paymentMethods' : ''}`;
  const why = problems.length > 0 ? ` (${problems.join('; ')})` : '';
  throw invalidField('merchantId', `has ${wanted}${why}: ${configureOne(merchantId)}`);
}

/** Currencies of the session; undefined for a tokenization, because its verification has a currency of its own. */
const currenciesAt = (session: Session) => (session.type === 'checkout' ? currenciesOf(session) : undefined);

/** Returns the brands of the cards that the session takes and its merchant can charge now. */
export async function chargeableBrands(
  deps: Deps,
  session: Session,
  ids: Choice['ids'] = session.paymentLink?.paymentMethods,
): Promise<ReadonlySet<string>> {
  const { merchantId } = session;
  const choice = { merchantId, types: ['card'], ids, currencies: currenciesAt(session) };
  return (await chargeableMethods(deps, choice)).ids;
}

/**
 * Whether the session takes cards, and its merchant has a method that can charge them now. When the session is for one saved card,
 * the method must be the one of that card's brand.
 */
export async function takesCards(deps: Deps & Pick<ApiDeps, 'instruments'>, session: Session): Promise<boolean> {
  const { clientId, settings, token } = session;
  if (!settings.paymentMethodTypes.includes('card')) return false;
  const only = token === undefined ? undefined : await deps.instruments.find(clientId, token);
  return (await chargeableBrands(deps, session, only && [only.paymentMethodId])).size > 0;
}

/** Saved card, when a session is for that card only. */
type OnlyCard = Pick<PaymentInstrument, 'paymentMethodId'>;

/** @throws {GatewayError} `request-validation-errors` naming `token`, because no other card can pay the session. */
async function refuseUnchargeableCard(deps: Deps, session: Session, { paymentMethodId: id }: OnlyCard): Promise<void> {
  const { merchantId } = session;
  const choice = { merchantId, types: ['card'], ids: [id], currencies: currenciesAt(session) };
  const { ids, problems } = await chargeableMethods(deps, choice);
  if (ids.size > 0) return;
  const [why = `${id} is not configured`] = problems;
  throw invalidField(
    'token',
    `is a card that merchant ${merchantId} cannot charge (${why}): ${configureOne(merchantId)}`,
  );
}

/**
 * Refuses a session that could not be paid. A session that only lists saved cards needs no method.
 * @param only the saved card, when the session is for one
 * @throws {GatewayError} `request-validation-errors`
 */
export async function refuseUnchargeableSession(deps: Deps, session: Session, only?: OnlyCard): Promise<void> {
  const { merchantId, type, settings } = session;
  if (type === 'tokenization' && !hasFeature(session, 'create')) return;
  if (only) return refuseUnchargeableCard(deps, session, only);
  const currencies = currenciesAt(session);
  const least = leastAmountOf(session);
  await refuseUnchargeable(deps, { merchantId, types: settings.paymentMethodTypes, currencies, least });
}
