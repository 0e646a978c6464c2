/** Payment links. Each change is one conditional update of one document: the second writer finds it changed. */
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
import { ofKnown, written } from './schema-version.js';

export interface PaymentLinkFilter {
  readonly merchantId?: number;
  readonly type?: LinkType;
  /** As shown: an active link whose time is over is `expired`. */
  readonly status?: LinkStatus;
}

export interface PaymentLinkRepository {
  /** `duplicate`: the id is there already. */
  insert(link: PaymentLink): Promise<'inserted' | 'duplicate'>;
  findById(id: string): Promise<PaymentLink | undefined>;
  findByExternalId(externalId: string): Promise<PaymentLink | undefined>;
  /** The newest one of a merchant that can be paid. */
  findQuickPay(
    owner: { readonly clientId: string; readonly merchantId: number },
    now: Date,
  ): Promise<PaymentLink | undefined>;
  /** One page of what the principal may see, newest first, and how many in all. */
  list(
    principal: Principal,
    filter: PaymentLinkFilter,
    page: { readonly page: number; readonly size: number },
    now: Date,
  ): Promise<{ readonly links: PaymentLink[]; readonly totalItems: number }>;
  /** Moves it on while it is one of `from`; undefined when it is not. */
  move(id: string, from: readonly LinkStatus[], to: LinkStatus, now: Date): Promise<PaymentLink | undefined>;
  /** Replaces all of them. */
  setSplit(id: string, destinations: readonly SplitDestination[], now: Date): Promise<PaymentLink | undefined>;
  /** Counts one more payer; returns the number. */
  countEntry(id: string): Promise<number>;
  /** The payment with this claim failed: the next one may be created. Returns the link as it is now. */
  nextClaim(id: string, claim: number): Promise<PaymentLink | undefined>;
  /** Its time is over. A look requested since it was seen decides instead: a payer has come. Undefined when it is not expired by this. */
  expire(seen: Pick<PaymentLink, '_id' | 'checkAt'>, now: Date): Promise<PaymentLink | undefined>;
  /** The sweep looks at it then. False when it takes no payments any more. */
  lookAt(id: string, at: Date): Promise<boolean>;
  /**
   * The same for what was looked at: a look requested meanwhile stays due.
   * @param at undefined: the sweep need not look at it any more.
   */
  lookAgain(seen: Pick<PaymentLink, '_id' | 'checkAt'>, at: Date | undefined): Promise<void>;
  /** Longest waiting first. */
  findToCheck(now: Date, limit: number): Promise<PaymentLink[]>;
  /** The picture of this address is still to be drawn; one of another address is forgotten. */
  wantPicture(id: string, address: string, now: Date): Promise<void>;
  /** Keeps the picture, unless it is of another address than the one that is wanted by now. */
  savePicture(id: string, address: string, svg: string): Promise<void>;
  /** Whose picture is still to be drawn, longest waiting first. */
  findToDraw(now: Date, limit: number): Promise<PaymentLink[]>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;
const known = ofKnown('payment_links');
const changed = { writeConcern: durable, returnDocument: 'after' } as const;

/** No look was requested since. */
const unchangedSince = ({ _id, checkAt }: Pick<PaymentLink, '_id' | 'checkAt'>) => ({
  _id,
  checkAt: checkAt ?? { $exists: false },
});

const merchantsOf = ({ merchants }: Principal, merchantId: number | undefined): Where<PaymentLink> => {
  if (merchants === 'all') return merchantId === undefined ? {} : { merchantId };
  const seen = merchantId === undefined ? merchants : merchants.filter((id) => id === merchantId);
  return { merchantId: { $in: [...seen] } };
};

/** The status that a reader sees: the sweep may be a moment behind. One of these is true of a link that has it. */
function statusBranches(status: LinkStatus, now: Date): Where<PaymentLink>[] {
  if (status === 'active') return [{ status, validUntil: { $not: { $lte: now } } }];
  if (status === 'expired') return [{ status }, { status: 'active', validUntil: { $lte: now } }];
  return [{ status }];
}

/**
 * What a list consists of, and the index for it. By type or status it names both, each with all of its values where it is not asked for,
 * and in every branch, so that MongoDB merges the parts of the index instead of reading all links of the client.
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

    findToDraw: (now, limit) =>
      links
        .find({ 'picture.drawAt': { $lte: now }, ...known }, bounded)
        .sort({ 'picture.drawAt': 1 })
        .limit(limit)
        .toArray(),

    findToCheck: (now, limit) =>
      links
        .find({ checkAt: { $lte: now }, ...known }, bounded)
        .sort({ checkAt: 1 })
        .limit(limit)
        .toArray(),
  };
}
