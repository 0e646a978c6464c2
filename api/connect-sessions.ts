/** Builds the flows of sessions of an API process over those of payments. */

import { createBinTable } from '../shared/store/bin-range.repository.js';
import type { Database } from '../shared/store/database.js';
import { createLinkSettingsRepository } from '../shared/store/link-settings.repository.js';
import { createPaymentInstrumentRepository } from '../shared/store/payment-instrument.repository.js';
import { createPaymentLinkRepository } from '../shared/store/payment-link.repository.js';
import { createReferenceReservations } from '../shared/store/reference-reservation.repository.js';
import { createSessionRepository } from '../shared/store/session.repository.js';
import type { AuthorizeMerchant } from './deps.js';
import { createSessionTokens } from './sessions/session-token.js';
import { makeHostedLinks } from './usecases/enter-link.js';
import type { LinkDeps } from './usecases/link-deps.js';
import { makeLinkSettingsUseCases } from './usecases/link-settings.js';
import { makeHostedSessions } from './usecases/make-hosted-sessions.js';
import { type MintRequest, mintSandboxToken } from './usecases/mint-wallet-token.js';
import type { PaymentDeps } from './usecases/payment-deps.js';
import { makePaymentLinkUseCases } from './usecases/payment-links.js';
import { makeSessionCallbackUseCases } from './usecases/session-callbacks.js';
import type { SessionDeps } from './usecases/session-deps.js';
import { makeSessionUseCases } from './usecases/sessions.js';

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
