/** The flows of the hosted pages, put together. */
import { limits } from '../../config/limits.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { nextAttempt, sessionStatusAt } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import { doorOf } from '../../shared/flows/settle-link.js';
import { endSession, isUnderWay, readNewestTry, settleSession } from '../../shared/flows/settle-session.js';
import { paymentIdOfTry } from '../../shared/ids.js';
import { takesCards } from '../merchants/check-chargeable.js';
import { payeeOf } from '../merchants/payee.js';
import { chooseSavedCard } from './choose-saved-card.js';
import type { HostedSession, HostedSessions } from './hosted-sessions.js';
import { offersWalletA, walletButton } from './hosted-wallet.js';
import { paySession } from './pay-session.js';
import { deleteSavedCard, listSavedCards } from './session-cards.js';
import type { SessionDeps } from './session-deps.js';
import { tokenizeSession } from './tokenize-session.js';
import { cancelSessionTransfer, offeredTransfer, paySessionByTransfer } from './transfer-session.js';

/** What a page is shown of a session, as it is now. */
async function view(deps: SessionDeps, session: Session): Promise<HostedSession> {
  const [merchant, newest, transfer, link, walletA, cards] = await Promise.all([
    deps.merchants.findMerchant(session.merchantId),
    readNewestTry(deps, session),
    offeredTransfer(deps, session),
    session.paymentLink && deps.links.findById(session.paymentLink.id),
    offersWalletA(deps, session),
    takesCards(deps, session),
  ]);
  const next = nextAttempt(session, newest.state);
  return {
    session,
    merchant: {
      id: session.merchantId,
      ...payeeOf(merchant),
      ...(merchant?.legalName !== undefined && { legalName: merchant.legalName }),
      ...(merchant?.taxId !== undefined && { taxId: merchant.taxId }),
      embedOrigins: merchant?.embedOrigins ?? [],
    },
    status: sessionStatusAt(session, deps.clock.now(), newest.state),
    ...(link && {
      link: {
        externalId: link.externalId,
        door: await doorOf(deps, link, deps.clock.now()),
        items: link.items,
        fixed: link.settings.amountMode === 'fixed',
      },
    }),
    walletA: walletA && cards,
    takesCards: cards,
    triesLeft: Math.max(0, limits.sessionTriesMax - next + 1),
    nextAttempt: next,
    transfer: transfer && { name: transfer.name, currencies: transfer.currencies },
  };
}

const SESSION_ID = /^ses_[0-9a-f]{32}$/;

async function find(deps: SessionDeps, sessionId: string, token: string): Promise<HostedSession | undefined> {
  // Nothing else can be in the database; and a session that does not exist costs no look-up of a wrong token less.
  if (!SESSION_ID.test(sessionId)) return undefined;
  const session = await deps.sessions.findById(sessionId);
  return session && deps.sessionTokens.fits(session, token) ? view(deps, session) : undefined;
}

async function cancel(deps: SessionDeps, { session }: HostedSession): Promise<HostedSession> {
  const newest = await readNewestTry(deps, session);
  const now = deps.clock.now();
  if (newest.state === 'succeeded') await settleSession(deps, session, now);
  const cancelled = await deps.sessions.update(session, (current) => {
    const seen = current.tries === session.tries && current.triedAt?.getTime() === session.triedAt?.getTime();
    if (!seen || isUnderWay(current, newest, now) || current.expiresAt <= now) return undefined;
    return endSession(current, 'cancelled', now, newest);
  });
  if (cancelled) return view(deps, cancelled);
  throw new GatewayError('conflict', { message: 'The session has ended, or a payment is in progress.' });
}

export function makeHostedSessions(deps: SessionDeps): HostedSessions {
  return {
    find: (sessionId, token) => find(deps, sessionId, token),
    walletButton: async ({ session, walletA }) => (walletA ? walletButton(deps, session) : undefined),
    savedCards: ({ session }) => listSavedCards(deps, session),
    deleteCard: ({ session }, token) => deleteSavedCard(deps, session, token),
    pay: ({ session }, input, caller) => paySession(deps, session, input, caller),
    payByTransfer: ({ session }, input, caller) => paySessionByTransfer(deps, session, input, caller),
    cancelTransfer: ({ session }, caller) => cancelSessionTransfer(deps, session, caller),
    async tokenize({ session }, input, caller) {
      const { session: after, ...outcome } = await tokenizeSession(deps, session, input, caller);
      return { session: await view(deps, after), ...outcome };
    },
    async choose({ session }, token) {
      const { session: after, instrument } = await chooseSavedCard(deps, session, token);
      return { session: await view(deps, after), instrument };
    },
    cancel: (session) => cancel(deps, session),
    lastPayment: async ({ session }) => {
      const current = (await deps.sessions.findById(session._id)) ?? session;
      return current.tries === 0 ? undefined : deps.payments.findById(paymentIdOfTry(current._id, current.tries));
    },
  };
}
