/** What the handlers of this pool have in common: their dependencies, the processor of a piece of work, and the context of their plans. */
import { routeOf } from '../../shared/domain/payment/attempts.js';
import type { ProcessorContext } from '../../shared/domain/payment/plan-context.js';
import type { RouteContext } from '../../shared/domain/payment/plan-next-route.js';
import { noTraits } from '../../shared/processors/capabilities.js';
import type { Processor } from '../../shared/processors/processor.js';
import { type Claimed, planContext, type RecordDeps } from '../payment-work.js';
import type { PoolDeps } from '../pool.js';
import type { CardTesting } from './card-testing.js';
import type { RouteBreakers } from './route-breakers.js';

/** Dependencies of the handlers of this pool. */
export type ProcessorDeps = RecordDeps &
  Pick<PoolDeps, 'processors' | 'vault' | 'instruments' | 'customers' | 'bins' | 'renderCallback' | 'schedule'> & {
    readonly cardTesting: CardTesting;
    readonly routes: RouteBreakers;
  };

/** Returns the processor of the route to which the work's transaction went: the payment may have moved on to another route. */
export const processorOf = (
  { processors }: Pick<PoolDeps, 'processors'>,
  { payment, work }: Pick<Claimed, 'payment' | 'work'>,
): Processor | undefined => processors.get(routeOf(payment, work.txId).processor);

/** Returns the context in which plans about a piece of work run. */
export const processorContext = (
  deps: ProcessorDeps,
  claimed: Pick<Claimed, 'payment' | 'work'>,
): ProcessorContext & RouteContext => ({
  ...planContext(deps),
  isOpen: (route) => deps.routes.isOpen(route),
  traits: processorOf(deps, claimed)?.traits ?? noTraits,
});
