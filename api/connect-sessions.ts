/** Builds the flows of sessions of an API process over those of payments. */

import { createBinTable } from '../shared/store/bin-range.repository.js';
import type { Database } from '../shared/store/database.js';
import { createLinkSettingsRepository } from '../shared/store/link-settings.repository.js';
import { createPaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import { createPaymentLinkRepository } from '../shared/store/payment-link.repository.js';
import { createReferenceReservations } from '../shared/store/reference-reservation.repository.js';
import { createSessionRepository } from '../shared/store/session.repository.js';
import type { AuthorizeMerchant } from './deps.js';
import { makeHostedLinks } from './payment-links/enter-link.js';
import type { LinkDeps } from './payment-links/link-deps.js';
import { makeLinkSettingsUseCases } from './payment-links/link-settings.js';
import { makePaymentLinkUseCases } from './payment-links/payment-links.js';
import type { PaymentDeps } from './payments/payment-deps.js';
import { makeHostedSessions } from './sessions/make-hosted-sessions.js';
import { makeSessionCallbackUseCases } from './sessions/session-callbacks.js';
import type { SessionDeps } from './sessions/session-deps.js';
import { createSessionTokens } from './sessions/session-token.js';
import { makeSessionUseCases } from './sessions/sessions.js';
import { type MintRequest, mintSandboxToken } from './testing/mint-sandbox-token.js';

export function connectSessions(
  payments: PaymentDeps & Pick<SessionDeps, 'methods'>,
  database: Database,
  walletPage: SessionDeps['walletPage'],
  authorizeMerchant: AuthorizeMerchant,
) {
  const deps: SessionDeps = {
    ...payments,
    instruments: createPaymentInstrumentRepository(database),
    sessions: createSessionRepository(database),
    reservations: createReferenceReservations(database),
    sessionTokens: createSessionTokens(payments.config.digestKey),
    links: createPaymentLinkRepository(database),
    bins: createBinTable(database),
    walletPage,
  };
  const links: LinkDeps = {
    ...deps,
    linkSettings: createLinkSettingsRepository(database),
    authorizeMerchant,
  };
  return {
    ...makeSessionUseCases(deps),
    ...makeSessionCallbackUseCases(deps),
    hostedSessions: makeHostedSessions(deps),
    ...makePaymentLinkUseCases(links),
    ...makeLinkSettingsUseCases(links),
    hostedLinks: makeHostedLinks(links),
    mintWalletToken: (request: MintRequest) => mintSandboxToken(deps, request),
  };
}
