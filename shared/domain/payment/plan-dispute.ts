/** Applies an update about a dispute to its payment: neither money nor status moves, and a person answers the dispute. Pure. */
import { defined } from '../defined.js';
import { alerted } from './alerted.js';
import { announceUnchanged, type Moment } from './apply-moves.js';
import type { Dispute, DisputeStatus } from './dispute.js';
import type { Payment } from './payment.js';

type DisputeUpdate = Omit<Dispute, 'openedAt' | 'updatedAt'> & { readonly at?: Date | undefined };

/** Order of the statuses. An update without a time counts as older than a stored dispute that is further along. */
const progress: Record<DisputeStatus, number> = { inquiry: 0, open: 1, 'under-review': 2, won: 3, lost: 3, closed: 3 };

function isOlder(known: Dispute, update: DisputeUpdate): boolean {
  if (update.at === undefined) return progress[update.status] < progress[known.status];
  if (update.at.getTime() === known.updatedAt.getTime()) return progress[update.status] < progress[known.status];
  return update.at < known.updatedAt;
}

const shown = ({ openedAt: _opened, updatedAt: _updated, ...rest }: Dispute) =>
  JSON.stringify(Object.entries(rest).sort());

/** Updates may come in any order. An older update only corrects when the dispute began, which is not announced. */
function beganEarlier(payment: Payment, known: Dispute, at: Date | undefined, { now }: Moment): Payment | undefined {
  if (at === undefined || at >= known.openedAt) return undefined;
  const disputes = (payment.disputes ?? []).map((one) => (one === known ? { ...one, openedAt: at } : one));
  return { ...payment, updatedAt: now, disputes };
}

/** Finds a dispute by its id. An update may name it by the processor's reference of the payment: then it is the newest dispute. */
function knownDispute({ disputes = [], transactions }: Payment, id: string): Dispute | undefined {
  const known = disputes.find((one) => one.id === id);
  const namesPayment = transactions.some(({ processorReference }) => processorReference === id);
  return known ?? (namesPayment ? disputes.at(-1) : undefined);
}

const DISPUTES_KEPT = 50;

/** Stores the dispute, announces it, and flags a new status. `undefined`: the update says nothing new. */
export function planDispute(payment: Payment, update: DisputeUpdate, context: Moment): Payment | undefined {
  const { at, ...named } = update;
  const disputes = payment.disputes ?? [];
  const known = knownDispute(payment, named.id);
  const said = { ...named, id: known?.id ?? named.id };
  if (known && isOlder(known, update)) return beganEarlier(payment, known, at, context);
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
