/** Chooses the route of a payment within its method: collects facts about payment and installation for the pure choice. */
import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import { defined } from '../../shared/domain/defined.js';
import { cardOriginOf } from '../../shared/domain/instrument/payment-instrument.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import { chooseRoute, type RouteCandidate, targetOf } from '../../shared/domain/routing/choose-route.js';
import type { Candidate } from '../../shared/domain/routing/payment-routing.js';
import { type Route, type RouteTarget, routeTargetOf } from '../../shared/domain/routing/route.js';
import { lacks, processorCodesIn, refuses } from '../../shared/processors/capabilities.js';
import type { ProcessorOperation } from '../../shared/processors/capabilities-of.js';
import type { RefusableCredential } from '../../shared/processors/processor.js';
import type { ApiDeps } from '../deps.js';
import { type ChargeContext, processorProblem } from '../merchants/processor-problem.js';
import type { ChosenMethod } from './choose-payment-method.js';
import type { PaymentDraft } from './payment-draft.js';
import type { SealedSource } from './payment-source.js';

/** Returns the operations that the processor must have besides the authorization: a hold is captured or released. */
const neededFor = ({ purpose, capture }: Pick<PaymentDraft, 'purpose' | 'capture'>): readonly ProcessorOperation[] => {
  if (purpose === 'verification') return ['cancel'];
  return capture?.method === 'manual' || capture?.delay ? ['capture', 'cancel'] : [];
};

/** Returns an operation that the processor is known to lack for this payment. */
const missingOperation = (
  draft: Pick<PaymentDraft, 'purpose' | 'capture'>,
  processor: string,
  isLacking = lacks,
): ProcessorOperation | undefined => neededFor(draft).find((operation) => isLacking(processor, operation));

/**
 * Refuses a hold that the processor could neither capture nor release.
 * @throws {GatewayError} `invalid-card-payment-method` for a verification, `request-validation-errors` naming `capture.method`
 * for a payment that is to be captured later
 */
export function refuseUnableHold(
  draft: Pick<PaymentDraft, 'purpose' | 'capture'>,
  processor: string,
  isLacking = lacks,
): void {
  if (missingOperation(draft, processor, isLacking) === undefined) return;
  if (draft.purpose === 'verification') {
    const message = 'The processor of this payment method cannot verify cards.';
    throw new GatewayError('invalid-card-payment-method', { message });
  }
  const problem = 'must be automatic, without delay: the processor of this payment method captures at once';
  throw invalidField('capture.method', problem);
}

/** Returns the credential of the payment, if it is one that not every processor takes. */
function refusableOf({
  source,
  chargedAs,
}: Pick<SealedSource, 'source' | 'chargedAs'>): RefusableCredential | undefined {
  if (chargedAs === 'wallet-cryptogram') return chargedAs;
  if (source === 'network-token') return source;
  return source === 'click-to-pay-token' ? 'click-to-pay' : undefined;
}

const credentialNames = {
  'network-token': 'network tokens',
  'wallet-cryptogram': 'cryptograms of wallets',
  'click-to-pay': 'click-to-pay check-outs',
} as const satisfies Record<RefusableCredential, string>;

/** Returns the credential of the payment, if this processor does not take it. */
function refusedBy(processor: string, source: Pick<SealedSource, 'source' | 'chargedAs'>) {
  const credential = refusableOf(source);
  return credential && refuses(processor, credential) ? credential : undefined;
}

/** The route, in fields of the payment. */
export type ChosenRoute = RouteTarget & Pick<Payment, 'routing'>;

/** Returns the route of a method that has no list of routes. */
export const onlyRoute = ({
  processor,
  acquirer,
  settings: { merchantIdentificationNumber, terminalNumber },
}: Pick<ChosenMethod, 'processor' | 'acquirer' | 'settings'>): RouteTarget =>
  routeTargetOf({ processor, acquirer, merchantIdentificationNumber, terminalNumber });

/** Finds where the card was issued; only looked up when a route has a condition on it. */
async function findCardOrigin(
  { bins }: Pick<ApiDeps, 'bins'>,
  { saved, view, findOrigin: originIn }: SealedSource,
  routes: readonly Route[],
) {
  if (!routes.some(({ conditions }) => conditions?.origins)) return undefined;
  if (originIn) return originIn(bins);
  if (saved?.cardOrigin) return saved.cardOrigin;
  return view && cardOriginOf((await bins.find(view.bin))?.issuer);
}

const candidateOf = ({ route, reason, detail }: RouteCandidate, settings: ChosenMethod['settings']): Candidate => ({
  ...targetOf(route, settings),
  reason,
  ...defined({ detail }),
});

/** Detail of a route whose processor no worker has. */
const ABSENT = 'processor';

const refused = (message: string) => new GatewayError('invalid-card-payment-method', { message });

/** The method takes cards of the brand, but none of its routes takes this payment. Another amount, currency or card may work. */
export class NoRouteError extends GatewayError {
  constructor(message: string) {
    super('invalid-card-payment-method', { message });
  }
}

/** Refuses a payment that no route takes: with the error of a single unable processor, otherwise naming the conditions of the routes. */
function refuseWithoutRoute(draft: PaymentDraft, candidates: readonly RouteCandidate[], context: ChargeContext): never {
  const unable = candidates.filter(({ reason, detail }) => reason === 'unable' && detail !== ABSENT);
  for (const { route } of unable) refuseUnableHold(draft, route.paymentProcessor.id);
  const reasons = new Set(
    candidates.map(({ route, detail }) =>
      detail === ABSENT ? `one ${processorProblem(route.paymentProcessor.id, context)}` : detail,
    ),
  );
  const away = candidates.every(({ detail }) => detail === ABSENT);
  const why = away ? 'none can be charged' : 'its conditions are not met';
  throw new NoRouteError(`No route of the payment method takes this payment: ${why} (${[...reasons].join(', ')}).`);
}

/** Refuses a payment that no worker could send, before it is stored. */
function refuseAbsentProcessor({ name, processor }: ChosenMethod, context: ChargeContext): void {
  const problem = processorProblem(processor, context);
  if (problem !== undefined) throw refused(`The payment method ${name} cannot be charged: it ${problem}.`);
}

/** Refuses a credential that the adapter would refuse later, after the reference and the wallet token were used up. */
function refuseCredential({ name, processor }: ChosenMethod, source: SealedSource): void {
  const credential = refusedBy(processor, source);
  if (!credential) return;
  throw new NoRouteError(
    `The payment method ${name} cannot be charged so: its processor takes no ${credentialNames[credential]}.`,
  );
}

function whyRouteIsUnable(
  draft: PaymentDraft,
  source: SealedSource,
  processor: string,
  context: ChargeContext,
): string | undefined {
  if (processorProblem(processor, context) !== undefined) return ABSENT;
  const here: readonly string[] = processorCodesIn(context.environment);
  if (!here.includes(processor)) return 'authorize';
  return missingOperation(draft, processor) ?? refusedBy(processor, source);
}

/**
 * Chooses the route.
 * @param id id of the payment; shares are drawn by it
 * @throws {GatewayError} `invalid-card-payment-method`, `request-validation-errors` naming `capture.method`
 */
export async function routePayment(
  deps: Pick<ApiDeps, 'bins' | 'chargeContexts'>,
  draft: PaymentDraft,
  source: SealedSource,
  method: ChosenMethod,
  id: string,
): Promise<ChosenRoute> {
  const { settings, brand } = method;
  const { routes, retrySoftDeclines } = settings;
  const context = await deps.chargeContexts.now();
  if (!routes) {
    refuseAbsentProcessor(method, context);
    refuseUnableHold(draft, method.processor);
    refuseCredential(method, source);
    return onlyRoute(method);
  }
  const { totalMinor, currency } = draft.amount;
  const facts = { paymentId: id, currency, totalMinor, brand, origin: await findCardOrigin(deps, source, routes) };
  const candidates = chooseRoute(facts, routes, ({ paymentProcessor }) => ({
    lacks: whyRouteIsUnable(draft, source, paymentProcessor.id, context),
  }));
  const [chosen] = candidates;
  if (chosen?.reason !== 'chosen') refuseWithoutRoute(draft, candidates, context);
  return {
    ...targetOf(chosen.route, settings),
    routing: {
      candidates: candidates.map((one) => candidateOf(one, settings)),
      ...(retrySoftDeclines && { retrySoftDeclines }),
    },
  };
}
