/** Payment links. Each change is one conditional update of one document: the second of two writers finds the document changed. */
import { limits } from '../../config/limits.js';
import {
  type LinkStatus,
  type LinkType,
  linkStatusAt,
  linkStatuses,
  linkTypes,
  type PaymentLink,
} from '../domain/payment-link/payment-link.js';
import type { SplitDestination } from '../domain/payment-link/split.js';
import type { Principal } from '../domain/principal.js';
import { type Database, durable, isDuplicateKey, type Where } from './database.js';
import { PAYMENT_LINKS } from './payment-link.model.js';
import { isKnownVersion, written } from './schema-version.js';

export interface PaymentLinkFilter {
  readonly merchantId?: number;
  readonly type?: LinkType;
  /** Status as it is shown: an active link whose time is over is `expired`. */
  readonly status?: LinkStatus;
}

export interface PaymentLinkRepository {
  /** `duplicate`: the id is there already. */
  insert(link: PaymentLink): Promise<'inserted' | 'duplicate'>;
  findById(id: string): Promise<PaymentLink | undefined>;
  findByExternalId(externalId: string): Promise<PaymentLink | undefined>;
  /** Finds the newest quick-pay link of a merchant that can be paid. */
  findQuickPay(
    owner: { readonly clientId: string; readonly merchantId: number },
    now: Date,
  ): Promise<PaymentLink | undefined>;
  /** Returns one page of the links that the principal may see, newest first, and how many there are. */
  list(
    principal: Principal,
    filter: PaymentLinkFilter,
    page: { readonly page: number; readonly size: number },
    now: Date,
  ): Promise<{ readonly links: PaymentLink[]; readonly totalItems: number }>;
  /** Changes the status of a link that has one of `from`; undefined when it has none of them. */
  move(id: string, from: readonly LinkStatus[], to: LinkStatus, now: Date): Promise<PaymentLink | undefined>;
  /** Replaces all destinations. */
  setSplit(id: string, destinations: readonly SplitDestination[], now: Date): Promise<PaymentLink | undefined>;
  /** Counts one more payer who entered the link; returns the number. */
  countEntry(id: string): Promise<number>;
  /** Frees the link after the payment with this claim failed, so that the next payment may be created. Returns the current link. */
  nextClaim(id: string, claim: number): Promise<PaymentLink | undefined>;
  /**
   * Expires a link whose time is over. Undefined when this call did not expire it: if a check was requested since the link was seen, a
   * payer has come, and that check decides.
   */
  expire(seen: Pick<PaymentLink, '_id' | 'checkAt'>, now: Date): Promise<PaymentLink | undefined>;
  /** Requests a check of the link by the sweep at this time. False when the link takes no payments any more. */
  lookAt(id: string, at: Date): Promise<boolean>;
  /**
   * The same for a link that was just checked: a check that was requested meanwhile stays due.
   * @param at undefined: the sweep need not check the link any more.
   */
  lookAgain(seen: Pick<PaymentLink, '_id' | 'checkAt'>, at: Date | undefined): Promise<void>;
  /** Longest waiting first. */
  findToCheck(now: Date, limit: number, skip?: number): Promise<PaymentLink[]>;
  /** Requests the picture of this address; a picture of another address is discarded. */
  wantPicture(id: string, address: string, now: Date): Promise<void>;
  /** Stores the picture, unless the picture of another address is wanted now. */
  savePicture(id: string, address: string, svg: string): Promise<void>;
  /** Finds links whose picture is still to be drawn, longest waiting first. */
  findToDraw(now: Date, limit: number, skip?: number): Promise<PaymentLink[]>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;
const known = isKnownVersion('payment_links');
const changed = { writeConcern: durable, returnDocument: 'after' } as const;

/** Condition: no check was requested since the link was seen. */
const unchangedSince = ({ _id, checkAt }: Pick<PaymentLink, '_id' | 'checkAt'>) => ({
  _id,
  checkAt: checkAt ?? { $exists: false },
});

const merchantsOf = ({ merchants }: Principal, merchantId: number | undefined): Where<PaymentLink> => {
  if (merchants === 'all') return merchantId === undefined ? {} : { merchantId };
  const seen = merchantId === undefined ? merchants : merchants.filter((id) => id === merchantId);
  return { merchantId: { $in: [...seen] } };
};

/**
 * Returns the conditions of a status as readers see it, because the sweep may be a moment behind. A link with this status meets one of
 * them.
 */
function statusBranches(status: LinkStatus, now: Date): Where<PaymentLink>[] {
  if (status === 'active') return [{ status, validUntil: { $not: { $lte: now } } }];
  if (status === 'expired') return [{ status }, { status: 'active', validUntil: { $lte: now } }];
  return [{ status }];
}

/**
 * Returns the filter of a list, and the index for it. A list by type or status names both in every branch, with all values of the one
 * that is not asked for, so that MongoDB merges parts of the index instead of reading all links of the client.
 */
function listed(principal: Principal, { merchantId, type, status }: PaymentLinkFilter, now: Date) {
  const owner: Where<PaymentLink> = { clientId: principal.clientId, ...merchantsOf(principal, merchantId) };
  if (type === undefined && status === undefined) return { filter: owner, options: bounded };
  const ofType: Where<PaymentLink> = { ...owner, type: type ?? { $in: linkTypes } };
  const branches = status === undefined ? [{ status: { $in: linkStatuses } }] : statusBranches(status, now);
  const filter: Where<PaymentLink> = { $or: branches.map((branch) => ({ ...ofType, ...branch })) };
  const hint = owner.merchantId === undefined ? 'of_client_by_status' : 'of_merchant_by_status';
  return { filter, options: { ...bounded, hint } };
}

export function createPaymentLinkRepository(database: Database): PaymentLinkRepository {
  const links = database.collection<PaymentLink>(PAYMENT_LINKS);
  const one = async (filter: Where<PaymentLink>) => (await links.findOne(filter, bounded)) ?? undefined;
  const moveTo = async (status: LinkStatus, filter: Where<PaymentLink>, now: Date) => {
    const update = { $set: { status, updatedAt: now }, $unset: { checkAt: 1 as const } };
    return (await links.findOneAndUpdate({ ...filter, ...known }, update, changed)) ?? undefined;
  };

  return {
    async insert(link) {
      try {
        await links.insertOne({ ...written('payment_links'), ...link }, { writeConcern: durable });
        return 'inserted';
      } catch (error) {
        if (isDuplicateKey(error)) return 'duplicate';
        throw error;
      }
    },
    findById: (id) => one({ _id: id }),
    findByExternalId: (externalId) => one({ externalId }),

    async findQuickPay({ clientId, merchantId }, now) {
      const [active] = statusBranches('active', now);
      const found = await links
        .find({ clientId, merchantId, type: 'quick-pay', ...active }, { ...bounded, projection: { picture: 0 } })
        .sort({ createdAt: -1, _id: -1 })
        .limit(limits.pageSizeMax)
        .toArray();
      return found.find((link) => linkStatusAt(link, now) === 'active' && !(link.validFrom && link.validFrom > now));
    },

    async list(principal, asked, { page, size }, now) {
      const { filter, options } = listed(principal, asked, now);
      const [found, totalItems] = await Promise.all([
        links
          .find(filter, { ...options, projection: { picture: 0 } })
          .sort({ createdAt: -1, _id: -1 })
          .skip((page - 1) * size)
          .limit(size)
          .toArray(),
        links.countDocuments(filter, options),
      ]);
      return { links: found, totalItems };
    },

    move: (id, from, to, now) => moveTo(to, { _id: id, status: { $in: [...from] } }, now),
    expire: (seen, now) => moveTo('expired', { ...unchangedSince(seen), status: 'active' }, now),

    async setSplit(id, destinations, now) {
      const update = { $set: { splitDestinations: [...destinations], updatedAt: now } };
      return (await links.findOneAndUpdate({ _id: id }, update, changed)) ?? undefined;
    },

    async countEntry(id) {
      const counted = await links.findOneAndUpdate({ _id: id }, { $inc: { entries: 1 } }, changed);
      if (!counted) throw new Error(`payment link ${id} is gone`);
      return counted.entries;
    },

    async nextClaim(id, claim) {
      await links.updateOne({ _id: id, claim, ...known }, { $set: { claim: claim + 1 } }, { writeConcern: durable });
      return one({ _id: id });
    },

    async lookAt(id, at) {
      const update = { $set: { checkAt: at } };
      return (
        (await links.updateOne({ _id: id, status: 'active' }, update, { writeConcern: durable })).matchedCount === 1
      );
    },

    async lookAgain(seen, at) {
      const update = at === undefined ? { $unset: { checkAt: 1 as const } } : { $set: { checkAt: at } };
      const filter = { ...unchangedSince(seen), status: { $in: ['active', 'expired'] satisfies LinkStatus[] } };
      await links.updateOne(filter, update, { writeConcern: durable });
    },

    async wantPicture(id, address, now) {
      const another = { _id: id, ...known, 'picture.address': { $ne: address } };
      await links.updateOne(another, { $set: { picture: { address, drawAt: now } } }, { writeConcern: durable });
    },

    async savePicture(id, address, svg) {
      const wanted = { _id: id, ...known, 'picture.address': address };
      await links.updateOne(wanted, { $set: { picture: { address, svg } } }, { writeConcern: durable });
    },

    findToDraw: (now, limit, skip = 0) =>
      links
        .find({ 'picture.drawAt': { $lte: now }, ...known }, bounded)
        .sort({ 'picture.drawAt': 1 })
        .skip(skip)
        .limit(limit)
        .toArray(),

    findToCheck: (now, limit, skip = 0) =>
      links
        .find({ checkAt: { $lte: now }, ...known }, bounded)
        .sort({ checkAt: 1 })
        .skip(skip)
        .limit(limit)
        .toArray(),
  };
}
