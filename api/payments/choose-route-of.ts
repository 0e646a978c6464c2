/** Which route of the chosen method a payment takes: what is known of the payment and the installation, given to the pure choice. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { defined } from '../../shared/domain/defined.js';
import { cardOriginOf } from '../../shared/domain/instrument/payment-instrument.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { chooseRoute, type RouteCandidate, targetOf } from '../../shared/domain/routing/choose-route.js';
import type { Candidate } from '../../shared/domain/routing/payment-routing.js';
import type { Route, RouteTarget } from '../../shared/domain/routing/route.js';
import { processorCodesIn } from '../../shared/processors/capabilities.js';
import type { ApiDeps } from '../deps.js';
import type { ChosenMethod } from './choose-payment-method.js';
import type { PaymentDraft } from './payment-draft.js';
import { lackedFor, refuseUnableHold } from './refuse-unable-processor.js';
import type { SealedSource } from './seal-source.js';

/** Fields of the payment. */
export type ChosenRoute = RouteTarget & Pick<Payment, 'routing'>;

/** The route of a method without a list. */
export function onlyRoute({
  processor,
  acquirer,
  settings: { merchantIdentificationNumber, terminalNumber },
}: Pick<ChosenMethod, 'processor' | 'acquirer' | 'settings'>): RouteTarget {
  return { processor, acquirer, ...defined({ merchantIdentificationNumber, terminalNumber }) };
}

/** Asked about only where a route wants to know. */
async function originOf({ bins }: Pick<ApiDeps, 'bins'>, { saved, view }: SealedSource, routes: readonly Route[]) {
  if (!routes.some(({ conditions }) => conditions?.origins)) return undefined;
  if (saved?.cardOrigin) return saved.cardOrigin;
  return view && cardOriginOf((await bins.find(view.bin))?.issuer);
}

const candidateOf = ({ route, reason, detail }: RouteCandidate, settings: ChosenMethod['settings']): Candidate => ({
  ...targetOf(route, settings),
  reason,
  ...defined({ detail }),
});

/** No route takes the payment: as for a single processor that cannot do it, else because of what the routes ask for. */
function refuse(draft: PaymentDraft, candidates: readonly RouteCandidate[]): never {
  const unable = candidates.find(({ reason }) => reason === 'unable');
  if (unable) refuseUnableHold(draft, unable.route.paymentProcessor.id);
  const reasons = [...new Set(candidates.map(({ detail }) => detail))].join(', ');
  throw new GatewayError('invalid-card-payment-method', {
    message: `No route of the payment method takes this payment: its conditions are not met (${reasons}).`,
  });
}

/**
 * @param id of the payment: shares are drawn by it
 * @throws {GatewayError} `invalid-card-payment-method`, `request-validation-errors` naming `capture.method`
 */
export async function chooseRouteOf(
  deps: Pick<ApiDeps, 'bins' | 'config'>,
  draft: PaymentDraft,
  source: SealedSource,
  method: ChosenMethod,
  id: string,
): Promise<ChosenRoute> {
  const { settings, brand } = method;
  const { routes, retrySoftDeclines } = settings;
  if (!routes) {
    refuseUnableHold(draft, method.processor);
    return onlyRoute(method);
  }
  const { totalMinor, currency } = draft.amount;
  const facts = { paymentId: id, currency, totalMinor, brand, origin: await originOf(deps, source, routes) };
  const here: readonly string[] = processorCodesIn(deps.config.environment);
  const candidates = chooseRoute(facts, routes, ({ paymentProcessor }) => ({
    lacks: here.includes(paymentProcessor.id) ? lackedFor(draft, paymentProcessor.id) : 'authorize',
  }));
  const [chosen] = candidates;
  if (chosen?.reason !== 'chosen') refuse(draft, candidates);
  return {
    ...targetOf(chosen.route, settings),
    routing: {
      candidates: candidates.map((one) => candidateOf(one, settings)),
      ...(retrySoftDeclines && { retrySoftDeclines }),
    },
  };
}
