/** The flows of the hosted pages with the dependencies of one API, for tests that call them without a browser. */
import type { ApiDeps } from '../../api/deps.js';
import { enterLink, findHostedLink, type HostedLink } from '../../api/payment-links/enter-link.js';
import { chooseSavedCard } from '../../api/sessions/choose-saved-card.js';
import type {
  HostedCaller,
  HostedPaymentInput,
  HostedTokenizationInput,
  HostedTransferInput,
} from '../../api/sessions/hosted-inputs.js';
import {
  cancelSession,
  findHostedSession,
  type HostedSession,
  lastPayment,
} from '../../api/sessions/hosted-session.js';
import { walletButton } from '../../api/sessions/hosted-wallet.js';
import { paySession } from '../../api/sessions/pay-session.js';
import { deleteSavedCard, listSavedCards } from '../../api/sessions/session-cards.js';
import { tokenizeSession } from '../../api/sessions/tokenize-session.js';
import { cancelSessionTransfer, paySessionByTransfer } from '../../api/sessions/transfer-session.js';

export type HostedFlows = ReturnType<typeof hostedFlows>;

export const hostedFlows = (deps: ApiDeps) => ({
  hostedSessions: {
    find: (id: string, token: string) => findHostedSession(deps, id, token),
    walletButton: async (hosted: HostedSession) => (hosted.walletA ? walletButton(deps, hosted.session) : undefined),
    savedCards: ({ session }: HostedSession) => listSavedCards(deps, session),
    deleteCard: ({ session }: HostedSession, token: string) => deleteSavedCard(deps, session, token),
    pay: ({ session }: HostedSession, input: HostedPaymentInput, caller: HostedCaller) =>
      paySession(deps, session, input, caller),
    payByTransfer: ({ session }: HostedSession, input: HostedTransferInput, caller: HostedCaller) =>
      paySessionByTransfer(deps, session, input, caller),
    cancelTransfer: ({ session }: HostedSession, caller: HostedCaller) => cancelSessionTransfer(deps, session, caller),
    tokenize: (hosted: HostedSession, input: HostedTokenizationInput, caller: HostedCaller) =>
      tokenizeSession(deps, hosted, input, caller),
    choose: (hosted: HostedSession, token: string) => chooseSavedCard(deps, hosted, token),
    cancel: (hosted: HostedSession) => cancelSession(deps, hosted),
    lastPayment: (hosted: HostedSession) => lastPayment(deps, hosted),
  },
  hostedLinks: {
    find: (externalId: string) => findHostedLink(deps, externalId),
    enter: (hosted: HostedLink, chosen: Parameters<typeof enterLink>[2], traceId: string) =>
      enterLink(deps, hosted, chosen, traceId),
  },
});
