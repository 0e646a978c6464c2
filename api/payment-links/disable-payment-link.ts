import { conflict, GatewayError } from '../../shared/contract/gateway-error.js';
import { body } from '../../shared/contract/joi.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import type { Principal } from '../../shared/domain/principal.js';
import { settleLink } from '../../shared/flows/settle-link.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { linkId } from './link-examples.js';
import { linkIdParams, readPaymentLink } from './read-payment-link.js';

/** Finds a link like {@link readPaymentLink}. @throws {GatewayError} `payment-link-not-found` also when it is disabled */
async function readEnabled(deps: Pick<ApiDeps, 'links'>, id: string, principal: Principal): Promise<PaymentLink> {
  const link = await readPaymentLink(deps, id, principal);
  if (link.status === 'disabled') throw new GatewayError('payment-link-not-found');
  return link;
}

async function disablePaymentLink(
  deps: Pick<ApiDeps, 'links' | 'payments' | 'clock'>,
  id: string,
  principal: Principal,
): Promise<void> {
  const link = await readEnabled(deps, id, principal);
  const now = deps.clock.now();
  // A link that was just paid is completed first.
  await settleLink(deps, link, now);
  if (await deps.links.move(link._id, ['active', 'expired'], 'disabled', now)) return;
  // Another call may have just disabled it.
  await readEnabled(deps, id, principal);
  throw conflict('The payment link is completed and accepts no more payments.');
}

export const disablePaymentLinkEndpoint = defineEndpoint({
  method: 'delete',
  path: '/v1/payment-links/:linkId',
  operationId: 'disablePaymentLink',
  summary: 'Disable a payment link',
  description:
    'Its page accepts no more payments. A payment in progress finishes. A completed link answers 409, a disabled one ' +
    '404.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: 'resource',
  request: { params: linkIdParams },
  responses: { 200: body({}) },
  errors: ['payment-link-not-found', 'conflict'],
  examples: { params: linkId, response: { 200: { disabled: {} } } },
  async handle({ params, principal }, deps) {
    await disablePaymentLink(deps, params.linkId, principal);
    return {};
  },
});
