/** Whether a payer could pay at all: sessions and links of a merchant that cannot be charged are refused when they are made. */

import { invalidField } from '../../shared/contract/gateway-error.js';
import type { MerchantPaymentMethod } from '../../shared/domain/merchant.js';
import {
  type PaymentMethodType,
  paymentMethodCatalog,
  supportsCurrency,
} from '../../shared/domain/payment-method-catalog.js';
import type { Route } from '../../shared/domain/routing/route.js';
import { currenciesOf, hasFeature } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { ApiDeps } from '../deps.js';
import { chargeProblem } from './charge-problem.js';

type Deps = Pick<ApiDeps, 'methods' | 'chargeContexts'>;

/** What a session or a link lets its payer choose from. */
interface Choice {
  readonly merchantId: number;
  readonly types: readonly string[];
  /** Absent: every type the merchant has. */
  readonly ids?: readonly string[] | undefined;
  /** Currencies that the payment may have (ISO 4217); absent: any. */
  readonly currencies?: readonly string[] | undefined;
}

interface Chargeable {
  readonly types: ReadonlySet<PaymentMethodType>;
  /** What prevents the others: `visa is disabled`. */
  readonly problems: readonly string[];
}

/** To be read after the code of the method. */
function currencyProblem(
  { id, settings }: MerchantPaymentMethod,
  currencies: Choice['currencies'],
): string | undefined {
  if (!currencies) return undefined;
  const taken = currencies.filter((currency) => supportsCurrency(id, currency));
  if (taken.length === 0) return `does not take ${currencies.join(' or ')}`;
  // Whatever else a route asks for is known with the card, or with the amount of a payer.
  const isFor = ({ conditions }: Route) => conditions?.currencies?.some((currency) => taken.includes(currency)) ?? true;
  return (settings.routes?.some(isFor) ?? true) ? undefined : `has no route that takes ${taken.join(' or ')}`;
}

/** Types of the methods that the merchant can be paid by; read anew, so that a method counts as soon as it is configured. */
async function chargeableTypes(deps: Deps, { merchantId, types, ids, currencies }: Choice): Promise<Chargeable> {
  const methods = await deps.methods.findPaymentMethodsOf(merchantId);
  const chosen = methods.filter(
    ({ id }) => types.includes(paymentMethodCatalog[id].type) && (ids?.includes(id) ?? true),
  );
  const context = await deps.chargeContexts.now();
  const judged = chosen.map((method) => ({
    id: method.id,
    problem: chargeProblem(method, context) ?? currencyProblem(method, currencies),
  }));
  return {
    types: new Set(judged.flatMap(({ id, problem }) => (problem === undefined ? [paymentMethodCatalog[id].type] : []))),
    problems: judged.flatMap(({ id, problem }) => (problem === undefined ? [] : [`${id} ${problem}`])),
  };
}

/** @throws {GatewayError} `request-validation-errors` naming `merchantId` when no method of the choice can be charged. */
export async function refuseUnchargeable(deps: Deps, choice: Choice): Promise<void> {
  const { types: chargeable, problems } = await chargeableTypes(deps, choice);
  if (chargeable.size > 0) return;
  const { merchantId, types } = choice;
  const wanted = `no active payment method of type ${types.join(' or ')}${choice.ids ? ' among settings.paymentMethods' : ''}`;
  const why = problems.length > 0 ? ` (${problems.join('; ')})` : '';
  const reason = `has ${wanted}${why}: configure one with POST /v1/merchants/${merchantId}/payment-methods, or enable it with PUT`;
  throw invalidField('merchantId', reason);
}

/** The verification of a tokenization has a currency of its own. */
const currenciesAt = (session: Session) => (session.type === 'checkout' ? currenciesOf(session) : undefined);

/**
 * Whether the session takes cards, and its merchant has a method that charges them now: where it is for one saved card, that of its
 * brand.
 */
export async function takesCards(deps: Deps & Pick<ApiDeps, 'instruments'>, session: Session): Promise<boolean> {
  const { clientId, merchantId, settings, paymentLink, token } = session;
  if (!settings.paymentMethodTypes.includes('card')) return false;
  const only = token === undefined ? undefined : await deps.instruments.find(clientId, token);
  const ids = only ? [only.paymentMethodId] : paymentLink?.paymentMethods;
  const choice = { merchantId, types: ['card'], ids, currencies: currenciesAt(session) };
  return (await chargeableTypes(deps, choice)).types.size > 0;
}

/** @throws {GatewayError} `request-validation-errors`; a session that only lists saved cards needs no method. */
export async function refuseUnchargeableSession(deps: Deps, session: Session): Promise<void> {
  const { merchantId, type, settings } = session;
  if (type === 'tokenization' && !hasFeature(session, 'create')) return;
  const currencies = currenciesAt(session);
  await refuseUnchargeable(deps, { merchantId, types: settings.paymentMethodTypes, currencies });
}
