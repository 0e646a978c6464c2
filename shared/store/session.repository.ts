/** Sessions: each change is one compare-and-set on the version, so that of two at once one wins. */
import { limits } from '../../config/limits.js';
import { defined } from '../domain/defined.js';
import type { Principal } from '../domain/principal.js';
import type { Session } from '../domain/session/session.js';
import { type Database, durable, isDuplicateKey, type Where } from './database.js';
import { isKnownVersion, refuseNewer, written } from './schema-version.js';
import { SESSIONS } from './session.model.js';

export interface SessionFilter {
  readonly merchantId?: number;
  readonly referenceId?: string;
  /** Both ends belong to the range. */
  readonly minDate?: Date;
  readonly maxDate?: Date;
}

export interface SessionRepository {
  /** Stores a session. `duplicate`: the reference, or the id, is used already. */
  insert(session: Session): Promise<'inserted' | 'duplicate'>;
  findById(id: string): Promise<Session | undefined>;
  findByReference(clientId: string, referenceId: string): Promise<Session | undefined>;
  /**
   * Lists sessions that were made with the principal's key, or with a key that it continues by rotation: one page, newest first, and how
   * many there are.
   */
  list(
    principal: Principal,
    filter: SessionFilter,
    page: { readonly page: number; readonly size: number },
  ): Promise<{ readonly sessions: Session[]; readonly totalItems: number }>;
  /**
   * Applies `plan` to the newest state and writes the result; `undefined` when `plan` returns nothing.
   * @throws {NewerDocumentError} when a newer release wrote the session.
   */
  update(start: Session, plan: (session: Session) => Session | undefined): Promise<Session | undefined>;
  /** Removes a session whose caller got no answer. */
  remove(session: Session): Promise<void>;
  /** Finds sessions that are due for a check, longest waiting first. */
  findToCheck(now: Date, limit: number, skip?: number): Promise<Session[]>;
  findToAnnounce(now: Date, limit: number, skip?: number): Promise<Session[]>;
}

const bounded = { maxTimeMS: limits.mongoQueryMs } as const;

/** Combines grants and filter: a secondary key finds sessions of its merchants only. */
function merchantsOf({ merchants }: Principal, merchantId: number | undefined): Where<Session> {
  if (merchants === 'all') return merchantId === undefined ? {} : { merchantId };
  if (merchantId === undefined) return { merchantId: { $in: [...merchants] } };
  return { merchantId: { $in: merchants.includes(merchantId) ? [merchantId] : [] } };
}

function toFilter(principal: Principal, { merchantId, referenceId, minDate, maxDate }: SessionFilter): Where<Session> {
  return {
    clientId: principal.clientId,
    keyId: principal.rootKeyId ?? principal.keyId,
    ...merchantsOf(principal, merchantId),
    ...(referenceId !== undefined && { referenceId }),
    ...((minDate || maxDate) && {
      createdAt: { ...defined({ $gte: minDate, $lte: maxDate }) },
    }),
  };
}

export function createSessionRepository(database: Database): SessionRepository {
  const sessions = database.collection<Session>(SESSIONS);
  const one = async (filter: Where<Session>) => (await sessions.findOne(filter, bounded)) ?? undefined;
  const due = (filter: Where<Session>, field: string, limit: number, skip = 0) =>
    sessions
      .find({ ...filter, ...isKnownVersion('sessions') }, bounded)
      .sort({ [field]: 1 })
      .skip(skip)
      .limit(limit)
      .toArray();

  return {
    async insert(session) {
      try {
        await sessions.insertOne({ ...written('sessions'), ...session }, { writeConcern: durable });
        return 'inserted';
      } catch (error) {
        if (isDuplicateKey(error)) return 'duplicate';
        throw error;
      }
    },
    findById: (id) => one({ _id: id }),
    findByReference: (clientId, referenceId) => one({ clientId, referenceId }),

    async list(principal, filter, { page, size }) {
      const chosen = toFilter(principal, filter);
      const [found, totalItems] = await Promise.all([
        sessions
          .find(chosen, bounded)
          .sort({ createdAt: -1, _id: -1 })
          .skip((page - 1) * size)
          .limit(size)
          .toArray(),
        sessions.countDocuments(chosen, bounded),
      ]);
      return { sessions: found, totalItems };
    },

    async update(start, plan) {
      let current: Session | undefined = start;
      for (let tries = 0; tries < limits.saveTriesMax && current; tries += 1) {
        refuseNewer('sessions', current);
        const next = plan(current);
        if (!next) return undefined;
        const saved = { ...next, version: current.version + 1 };
        const { _id, version } = current;
        const { matchedCount } = await sessions.replaceOne({ _id, version }, saved, { writeConcern: durable });
        if (matchedCount === 1) return saved;
        current = await one({ _id });
      }
      if (!current) throw new Error(`session ${start._id} is gone`);
      throw new Error(`session ${start._id} was written by others ${limits.saveTriesMax} times in a row`);
    },

    async remove({ _id }) {
      await sessions.deleteOne({ _id }, { writeConcern: durable });
    },
    findToCheck: (now, limit, skip) => due({ checkAt: { $lte: now } }, 'checkAt', limit, skip),
    findToAnnounce: (now, limit, skip) => due({ announceAt: { $lte: now } }, 'announceAt', limit, skip),
  };
}
