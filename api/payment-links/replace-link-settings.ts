import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import type { ApiDeps } from '../deps.js';
import { defineEndpoint } from '../http/define-endpoint.js';
import { callbackProblem } from '../payments/check-payment-request.js';
import { linkSettings } from './link-examples.js';
import { linkSettingsSchema } from './payment-link.schema.js';
import { type LinkSettingsBody, linkSettingsRequestSchema } from './payment-link-request.schema.js';
import { presentLinkSettings } from './present-payment-link.js';

/** @throws {GatewayError} `request-validation-errors` for a URL that cannot be called; `conflict` for a name that is taken. */
async function replaceLinkSettings(
  deps: Pick<ApiDeps, 'config' | 'clock' | 'linkSettings'>,
  clientId: string,
  body: LinkSettingsBody,
): Promise<object> {
  const { config, clock, linkSettings } = deps;
  const { notificationUrl, quickPayEnabled = true, ...rest } = body;
  const problem = notificationUrl === undefined ? undefined : callbackProblem(notificationUrl, config);
  if (problem) throw invalidField('notificationUrl', problem);
  const settings = { ...rest, notificationUrl, clientId, quickPayEnabled, updatedAt: clock.now() };
  if ((await linkSettings.replace(settings)) === 'saved') return presentLinkSettings(body.merchantId, settings);
  throw new GatewayError('conflict', {
    message: 'This name is already used.',
    params: { businessUrlName: ['is taken'] },
  });
}

export const replaceLinkSettingsEndpoint = defineEndpoint({
  method: 'put',
  path: '/v1/payment-links/settings',
  operationId: 'replacePaymentLinkSettings',
  summary: 'Replace the payment link settings of a merchant',
  description: 'All settings are replaced. Existing links keep their end.',
  tags: ['Payment links'],
  auth: 'basic',
  merchantScope: { in: 'body', field: 'merchantId' },
  request: { body: linkSettingsRequestSchema },
  responses: { 200: linkSettingsSchema },
  errors: ['currency-not-found', 'conflict'],
  examples: { request: { all: linkSettings }, response: { 200: { saved: linkSettings } } },
  handle: ({ body, principal }, deps) => replaceLinkSettings(deps, principal.clientId, body),
});
