/** What was sent about a payment, and sending it again. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import type { Delivery } from '../../shared/domain/callback/delivery.js';
import type { Principal } from '../../shared/domain/principal.js';
import { deliverCallback } from '../../shared/queue/deliver-callback.job.js';
import type { Caller, PaymentDeps } from './payment-deps.js';
import { readPayment } from './read-payment.js';

type Deps = Pick<PaymentDeps, 'payments' | 'deliveries' | 'hints' | 'clock'>;

/** @throws {GatewayError} `payment-not-found` */
export async function readCallbacks(deps: Deps, paymentId: string, principal: Principal): Promise<Delivery[]> {
  await readPayment(deps, paymentId, principal);
  return deps.deliveries.findByPayment(paymentId);
}

/**
 * Sends an event again from the start of the schedule; one that is still waiting goes on as it is.
 * @throws {GatewayError} `payment-not-found`, or `not-found` when the payment has no such event.
 */
export async function replayCallback(
  deps: Deps,
  { paymentId, eventId }: { readonly paymentId: string; readonly eventId: string },
  caller: Pick<Caller, 'principal' | 'traceId'>,
): Promise<Delivery> {
  await readPayment(deps, paymentId, caller.principal);
  return replayEvent(deps, { ownerId: paymentId, eventId }, caller.traceId);
}

/**
 * The same for whatever an event is about (a payment or a session), which the caller was found to see.
 * @throws {GatewayError} `not-found`
 */
export async function replayEvent(
  deps: Pick<Deps, 'deliveries' | 'hints' | 'clock'>,
  { ownerId, eventId }: { readonly ownerId: string; readonly eventId: string },
  traceId: string,
): Promise<Delivery> {
  const replayed = await deps.deliveries.replay(ownerId, eventId, deps.clock.now());
  const events = await deps.deliveries.findByPayment(ownerId);
  const event = events.find((one) => one.eventId === eventId);
  if (!event) throw new GatewayError('not-found', { message: 'Callback event not found.' });
  if (replayed !== undefined) void deps.hints.add(deliverCallback, { deliveryId: replayed, traceId });
  return event;
}
