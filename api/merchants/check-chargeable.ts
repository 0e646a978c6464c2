/** Whether a payer could pay at all: sessions and links of a merchant that cannot be charged are refused when they are made. */

import { invalidField } from '../../shared/contract/gateway-error.js';
import {
  type PaymentMethodId,
  type PaymentMethodType,
  paymentMethodCatalog,
  supportsCurrency,
} from '../../shared/domain/payment-method-catalog.js';
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
function currencyProblem(id: PaymentMethodId, currencies: Choice['currencies']): string | undefined {
  if (!currencies || currencies.some((currency) => supportsCurrency(id, currency))) return undefined;
  return `does not take ${currencies.join(' or ')}`;
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
    problem: chargeProblem(method, context) ?? currencyProblem(method.id, currencies),
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

/** Whether the session takes cards, and its merchant has a method that charges them now. */
export async function takesCards(deps: Deps, session: Session): Promise<boolean> {
  const { merchantId, settings, paymentLink } = session;
  if (!settings.paymentMethodTypes.includes('card')) return false;
  const choice = { merchantId, types: ['card'], ids: paymentLink?.paymentMethods };
  return (await chargeableTypes(deps, choice)).types.size > 0;
}

/** @throws {GatewayError} `request-validation-errors`; a session that only lists saved cards needs no method. */
export async function refuseUnchargeableSession(deps: Deps, session: Session): Promise<void> {
  const { merchantId, type, settings } = session;
  if (type === 'tokenization' && !hasFeature(session, 'create')) return;
  const currencies = type === 'checkout' ? currenciesOf(session) : undefined;
  await refuseUnchargeable(deps, { merchantId, types: settings.paymentMethodTypes, currencies });
}
