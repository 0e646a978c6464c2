import type { Config } from '../../config/index.js';
import type { LinkSettingsRepository } from '../../shared/store/link-settings.repository.js';
import type { PaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import type { AuthorizeMerchant } from '../deps.js';
import type { SessionDeps } from '../sessions/session-deps.js';

/** What the flows of payment links are given beyond those of sessions. */
export interface LinkDeps extends SessionDeps {
  readonly links: PaymentLinkRepository;
  readonly linkSettings: LinkSettingsRepository;
  /** Asked about the merchants that a body names beside its own; counts those that miss. */
  readonly authorizeMerchant: AuthorizeMerchant;
}

/** Where the pages of links are: `https://pay.example/links`, without a slash at the end. */
export const linksUrlOf = ({ linksUrl, publicBaseUrl }: Pick<Config, 'linksUrl' | 'publicBaseUrl'>): string =>
  (linksUrl ?? `${publicBaseUrl}/links`).replace(/\/+$/, '');
