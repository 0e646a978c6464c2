/** The journal of the `iso8583` processor: what was sent, so that it can be taken back, repeated and never sent twice. */
import { iso8583Limits } from '../../config/iso8583-limits.js';
import { limits } from '../../config/limits.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import { ISO8583_EXCHANGES, type IsoExchange, type IsoHeard, type StoredOutcome } from './iso8583-exchange.model.js';

export type IsoReferences = Partial<Pick<IsoExchange, 'retrievalReference' | 'authorization'>>;

export interface IsoAnswer extends IsoReferences {
  readonly outcome: StoredOutcome;
}

export interface IsoExchangeRepository {
  /** Before the message is sent. @returns the exchange that has the key already; nothing when it is this one's now. */
  begin(exchange: IsoExchange): Promise<IsoExchange | undefined>;
  find(key: string): Promise<IsoExchange | undefined>;
  /** Keeps the answer. False when it does not count any more: the exchange is answered, or is being taken back. */
  answer(key: string, answer: IsoAnswer): Promise<boolean>;
  /**
   * Notes an answer that is not the outcome: of the message, or of its reversal. What is said to be approved stays so.
   * @param references how the acquirer calls it, for a reversal that has not begun
   */
  heard(key: string, what: 'message' | 'reversal', heard: IsoHeard, references?: IsoReferences): Promise<void>;
  /** From now on no answer counts. @returns the exchange with the reversal that was begun first; nothing when it is over. */
  startReversal(
    key: string,
    reversal: NonNullable<IsoExchange['reversal']>,
    outcome?: StoredOutcome,
  ): Promise<IsoExchange | undefined>;
  /** Nothing of it stands. The first outcome that was kept for it holds. */
  endReversal(key: string, outcome: StoredOutcome): Promise<void>;
  /** Certainly nothing left: the key may be sent again. */
  forget(key: string): Promise<void>;
  /** Reversals that are not confirmed, up to a bound. */
  countReversing(): Promise<number>;
}

export function createIsoExchangeRepository(database: Database): IsoExchangeRepository {
  const rows = database.collection<IsoExchange>(ISO8583_EXCHANGES);
  const bounded = { maxTimeMS: limits.mongoQueryMs };
  const written = { writeConcern: durable, ...bounded };
  const find = async (key: string) => (await rows.findOne({ _id: key }, bounded)) ?? undefined;
  return {
    find,
    async begin(exchange) {
      try {
        await rows.insertOne(exchange, written);
        return undefined;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
        const known = await find(exchange._id);
        if (known === undefined) throw error;
        return known;
      }
    },
    async answer(key, { outcome, ...rest }) {
      const $set = { state: 'answered' as const, outcome, ...rest };
      return (await rows.updateOne({ _id: key, state: 'sent' }, { $set }, written)).matchedCount === 1;
    },
    async heard(key, what, said, references = {}) {
      const path = what === 'reversal' ? 'reversal.heard' : 'heard';
      const named = Object.entries(references).map(([name, value]) => [
        name,
        { $cond: [{ $eq: ['$state', 'sent'] }, { $literal: value }, `$${name}`] },
      ]);
      const $set = { [path]: { $mergeObjects: [`$${path}`, { $literal: said }] }, ...Object.fromEntries(named) };
      await rows.updateOne({ _id: key }, [{ $set }], written);
    },
    async startReversal(key, reversal, outcome) {
      const $set = {
        state: 'reversing',
        reversal: { $ifNull: ['$reversal', { $literal: reversal }] },
        // Until now there was none. What was answered stays: it says how much there is to take back.
        outcome: { $cond: [{ $eq: ['$state', 'sent'] }, outcome ? { $literal: outcome } : '$$REMOVE', '$outcome'] },
      };
      const options = { returnDocument: 'after', ...written } as const;
      return (await rows.findOneAndUpdate({ _id: key, state: { $ne: 'reversed' } }, [{ $set }], options)) ?? undefined;
    },
    async endReversal(key, outcome) {
      const kept = { $eq: ['$outcome.kind', 'declined'] };
      const $set = { state: 'reversed', outcome: { $cond: [kept, '$outcome', { $literal: outcome }] } };
      await rows.updateOne({ _id: key, state: { $ne: 'reversed' } }, [{ $set }], written);
    },
    async forget(key) {
      await rows.deleteOne({ _id: key, state: 'sent' }, written);
    },
    countReversing: () =>
      rows.countDocuments({ state: 'reversing' }, { limit: iso8583Limits.openReversalsCounted, ...bounded }),
  };
}
