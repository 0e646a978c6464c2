/** A session as its page shows it. */

import { limits } from '../../config/limits.js';
import { conflict } from '../../shared/contract/gateway-error.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentItem } from '../../shared/domain/payment/payment-amount.js';
import { itemCurrencyOf } from '../../shared/domain/payment-link/payment-link.js';
import { nextAttempt, sessionStatusAt } from '../../shared/domain/session/rules.js';
import type { Session } from '../../shared/domain/session/session.js';
import type { SessionStatus } from '../../shared/domain/session/statuses.js';
import { type AvailabilityToPayer, availabilityOf } from '../../shared/flows/settle-link.js';
import {
  endSession,
  isUnderWay,
  type NewestTry,
  readNewestTry,
  settleSession,
} from '../../shared/flows/settle-session.js';
import { paymentIdOfTry } from '../../shared/ids.js';
import type { ApiDeps } from '../deps.js';
import { takesCards } from '../merchants/check-chargeable.js';
import { type Payee, payeeOf } from '../merchants/payee.js';
import { hasSuspendedPart } from '../payment-links/suspended-part.js';
import { offersWalletA } from './hosted-wallet.js';
import { offeredTransfer } from './transfer-session.js';

export interface HostedSession {
  readonly session: Session;
  readonly merchant: Payee & {
    readonly id: number;
    /** Shown on receipts. */
    readonly legalName?: string;
    readonly taxId?: string;
    /** Origins of the merchant's own pages that may frame the embedded tokenization. */
    readonly embedOrigins: readonly string[];
  };
  /** Status at this moment: `expired` even before the sweep has stored it. */
  readonly status: SessionStatus;
  /** What is stored of the newest try. */
  readonly newest: NewestTry;
  /** Number of tries that the payer has left. */
  readonly triesLeft: number;
  /** Only for a session that was created at a link: what the link says now. */
  readonly link?: {
    readonly externalId: string;
    readonly availability: AvailabilityToPayer;
    readonly validFrom?: Date | undefined;
    readonly validUntil?: Date | undefined;
    readonly items?: readonly PaymentItem[] | undefined;
    /** Currency of the items' prices: the payer may have chosen another one. */
    readonly itemCurrency: string;
    /** Whether the payer pays exactly for the items; false when the payer chooses the amount. */
    readonly fixed: boolean;
  };
  /** Whether the session accepts cards, a method can charge them now, and neither the merchant nor that of a part is suspended. */
  readonly takesCards: boolean;
  /** Whether the page offers wallet-a. */
  readonly walletA: boolean;
  /** Number of the next try. The form contains it, so that submitting twice makes one payment. */
  readonly nextAttempt: number;
  /** The bank transfer that the payer may choose; `currencies` are those of the session that it accepts. */
  readonly transfer?: { readonly name: string; readonly currencies: readonly string[] } | undefined;
}

/** Returns what the page shows of a session at this moment. */
export async function viewSession(deps: ApiDeps, session: Session): Promise<HostedSession> {
  const [merchant, newest, transfer, link, walletA, cards] = await Promise.all([
    deps.merchants.findMerchant(session.merchantId),
    readNewestTry(deps, session),
    offeredTransfer(deps, session),
    session.paymentLink && deps.links.findById(session.paymentLink.id),
    offersWalletA(deps, session),
    takesCards(deps, session),
  ]);
  const next = nextAttempt(session, newest.state);
  // A card or a bank transfer for a suspended merchant would only be refused after the payer has submitted it.
  const open = merchant?.status !== 'suspended' && !(link && (await hasSuspendedPart(deps, link)));
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
    newest,
    ...(link && {
      link: {
        externalId: link.externalId,
        availability: await availabilityOf(deps, link, deps.clock.now()),
        validFrom: link.validFrom,
        validUntil: link.validUntil,
        items: link.items,
        itemCurrency: itemCurrencyOf(link),
        fixed: link.settings.amountMode === 'fixed',
      },
    }),
    walletA: walletA && cards && open,
    takesCards: cards && open,
    triesLeft: Math.max(0, limits.sessionTriesMax - next + 1),
    nextAttempt: next,
    transfer: open && transfer ? { name: transfer.name, currencies: transfer.currencies } : undefined,
  };
}

const SESSION_ID = /^ses_[0-9a-f]{32}$/;

/** Finds a session of any status; undefined when it is unknown or the token is not its own. */
export async function findByToken(
  deps: Pick<ApiDeps, 'sessions' | 'sessionTokens'>,
  sessionId: string,
  token: string,
): Promise<Session | undefined> {
  // No other id can be stored. An unknown session costs the same look-up as a wrong token.
  if (!SESSION_ID.test(sessionId)) return undefined;
  const session = await deps.sessions.findById(sessionId);
  return session && deps.sessionTokens.fits(session, token) ? session : undefined;
}

/** Finds a session by its token, as its page shows it. */
export async function findHostedSession(
  deps: ApiDeps,
  sessionId: string,
  token: string,
): Promise<HostedSession | undefined> {
  const session = await findByToken(deps, sessionId, token);
  return session && viewSession(deps, session);
}

/** Cancels the session for the payer. @throws {GatewayError} `conflict` when it has ended, or a try is under way. */
export async function cancelSession(deps: ApiDeps, { session }: HostedSession): Promise<HostedSession> {
  const newest = await readNewestTry(deps, session);
  const now = deps.clock.now();
  if (newest.state === 'succeeded') await settleSession(deps, session, now);
  const cancelled = await deps.sessions.update(session, (current) => {
    const seen = current.tries === session.tries && current.triedAt?.getTime() === session.triedAt?.getTime();
    if (!seen || isUnderWay(current, newest, now) || current.expiresAt <= now) return undefined;
    return endSession(current, 'cancelled', now, newest);
  });
  if (cancelled) return viewSession(deps, cancelled);
  throw conflict('The session has ended, or a payment is in progress.');
}

/** Finds the payment of the newest try of a session that was just read. */
export const paymentOfTry = async (
  { payments }: Pick<ApiDeps, 'payments'>,
  { _id, tries }: Session,
): Promise<Payment | undefined> => (tries === 0 ? undefined : payments.findById(paymentIdOfTry(_id, tries)));

/** Finds the payment of the newest try, which this request may have made: the session is read again. */
export async function lastPayment(
  deps: Pick<ApiDeps, 'sessions' | 'payments'>,
  { session }: HostedSession,
): Promise<Payment | undefined> {
  return paymentOfTry(deps, (await deps.sessions.findById(session._id)) ?? session);
}
