/** What a merchant says of all its payment links. */
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { checkTargetUrl } from '../../shared/outbound/target-url.js';
import type { LinkDeps } from './link-deps.js';
import type { LinkSettingsBody } from './payment-link-request.schema.js';
import { presentLinkSettings } from './present-payment-link.js';

/** @throws {GatewayError} `request-validation-errors` for a URL that cannot be called; `conflict` for a name that is taken. */
async function replaceLinkSettings(deps: LinkDeps, clientId: string, body: LinkSettingsBody): Promise<object> {
  const { config, clock, linkSettings } = deps;
  const { notificationUrl, quickPayEnabled = true, ...rest } = body;
  const rules = { environment: config.environment, allowPrivateNetworks: config.callbackAllowPrivateNetworks };
  const problem = notificationUrl === undefined ? undefined : checkTargetUrl(notificationUrl, rules);
  if (problem) throw new GatewayError('request-validation-errors', { params: { notificationUrl: [problem] } });
  const settings = { ...rest, notificationUrl, clientId, quickPayEnabled, updatedAt: clock.now() };
  if ((await linkSettings.replace(settings)) === 'saved') return presentLinkSettings(body.merchantId, settings);
  throw new GatewayError('conflict', {
    message: 'This name is already used.',
    params: { businessUrlName: ['is taken'] },
  });
}

export function makeLinkSettingsUseCases(deps: LinkDeps) {
  return {
    replaceLinkSettings: (clientId: string, body: LinkSettingsBody) => replaceLinkSettings(deps, clientId, body),
    readLinkSettings: async (merchantId: number) =>
      presentLinkSettings(merchantId, await deps.linkSettings.find(merchantId)),
  };
}

type LinkSettingsUseCases = ReturnType<typeof makeLinkSettingsUseCases>;

declare module '../deps.js' {
  interface UseCases extends LinkSettingsUseCases {}
}
