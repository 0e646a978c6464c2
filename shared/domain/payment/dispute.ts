/** Disputes of a payment (chargebacks), as the processor reports them. They move no money here and no status: a person answers them. Pure. */
import { defined } from '../defined.js';
import { count, oneOf, optional, record, type Stored, text, time } from '../described.js';
import { alerted } from './alerted.js';
import { announceUnchanged, type Moment } from './apply-moves.js';
import type { Payment } from './payment.js';

/**
 * `inquiry`: the issuer asks, no money moved. `open`: the money was taken back (a chargeback). `under-review`: evidence was sent.
 * `won`, `lost`: how it ended. `closed`: an inquiry that ended without a chargeback.
 */
export const disputeStatuses = ['inquiry', 'open', 'under-review', 'won', 'lost', 'closed'] as const;
export type DisputeStatus = (typeof disputeStatuses)[number];

export const dispute = record({
  /** The processor's id of it. */
  id: text,
  status: oneOf(...disputeStatuses),
  amountMinor: count,
  /** ISO 4217 alphabetic code; it may be another one than the payment's. */
  currency: text,
  /** In the processor's words, for example `fraudulent`. */
  reason: optional(text),
  /** The network's reason code, for example `10.4`. */
  networkReasonCode: optional(text),
  respondBy: optional(time),
  openedAt: time,
  /** When the processor says that it came to this. */
  updatedAt: time,
});
export interface Dispute extends Stored<typeof dispute> {}

export type DisputeNews = Omit<Dispute, 'openedAt' | 'updatedAt'> & { readonly at?: Date | undefined };

/** Further along is larger; an update without a time is older than what is further along. */
const progress: Record<DisputeStatus, number> = { inquiry: 0, open: 1, 'under-review': 2, won: 3, lost: 3, closed: 3 };

function isOlder(known: Dispute, news: DisputeNews): boolean {
  if (news.at === undefined) return progress[news.status] < progress[known.status];
  if (news.at.getTime() === known.updatedAt.getTime()) return progress[news.status] < progress[known.status];
  return news.at < known.updatedAt;
}

const shown = ({ openedAt: _opened, updatedAt: _updated, ...rest }: Dispute) =>
  JSON.stringify(Object.entries(rest).sort());

const DISPUTES_KEPT = 50;

/** The payment with the dispute as it is now, announced and flagged; `undefined`: it says nothing new. */
export function planDispute(payment: Payment, news: DisputeNews, context: Moment): Payment | undefined {
  const { at, ...said } = news;
  const disputes = payment.disputes ?? [];
  const known = disputes.find(({ id }) => id === said.id);
  if (known && isOlder(known, news)) return undefined;
  const { respondBy, reason, networkReasonCode } = known ?? {};
  const next: Dispute = {
    ...defined({ respondBy, reason, networkReasonCode }),
    ...said,
    openedAt: known?.openedAt ?? at ?? context.now,
    updatedAt: at ?? context.now,
  };
  if (known && shown(known) === shown(next)) return undefined;
  const kept = [...disputes.filter(({ id }) => id !== said.id), next].slice(-DISPUTES_KEPT);
  const text = `dispute ${said.id} is ${said.status}${said.reason === undefined ? '' : ` (${said.reason})`}`;
  const noted = known?.status === said.status ? payment : alerted(payment, context.now, text);
  return announceUnchanged({ ...noted, disputes: kept }, context);
}
