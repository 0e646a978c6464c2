import type { Config } from '../../config/index.js';
import type { LinkSettingsRepository } from '../../shared/store/link-settings.repository.js';
import type { PaymentLinkRepository } from '../../shared/store/payment-link.repository.js';
import type { SessionDeps } from './session-deps.js';

/** What the flows of payment links are given beyond those of sessions. */
export interface LinkDeps extends SessionDeps {
  readonly links: PaymentLinkRepository;
  readonly linkSettings: LinkSettingsRepository;
}

/** Where the pages of links are: `https://pay.example/links`, without a slash at the end. */
export const linksUrlOf = ({ linksUrl, publicBaseUrl }: Pick<Config, 'linksUrl' | 'publicBaseUrl'>): string =>
  (linksUrl ?? `${publicBaseUrl}/links`).replace(/\/+$/, '');
