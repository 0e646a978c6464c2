/** The journal of the `iso8583` processor: what was sent, so that it can be reversed or repeated, and is never sent twice. */
import { iso8583Limits } from '../../config/iso8583-limits.js';
import { limits } from '../../config/limits.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import { ISO8583_EXCHANGES, type IsoExchange, type IsoHeard, type StoredOutcome } from './iso8583-exchange.model.js';

export type IsoReferences = Partial<Pick<IsoExchange, 'retrievalReference' | 'authorization'>>;

export interface IsoAnswer extends IsoReferences {
  readonly outcome: StoredOutcome;
}

export interface IsoExchangeRepository {
  /**
   * Records the exchange before the message is sent. @returns the exchange that has the key already; undefined when this exchange has it
   * now.
   */
  begin(exchange: IsoExchange): Promise<IsoExchange | undefined>;
  find(key: string): Promise<IsoExchange | undefined>;
  /** Stores the answer. False when it does not count any more: the exchange is answered, or is being reversed. */
  answer(key: string, answer: IsoAnswer): Promise<boolean>;
  /**
   * Notes an answer that is not the outcome, to the message or to its reversal. An answer that was noted as an approval stays one.
   * @param references the acquirer's references, stored only while no reversal has begun
   */
  heard(key: string, what: 'message' | 'reversal', heard: IsoHeard, references?: IsoReferences): Promise<void>;
  /**
   * Starts the reversal: from now on no answer counts. @returns the exchange with the reversal that was begun first; undefined when it is
   * reversed already.
   */
  startReversal(
    key: string,
    reversal: NonNullable<IsoExchange['reversal']>,
    outcome?: StoredOutcome,
  ): Promise<IsoExchange | undefined>;
  /** Ends the reversal: nothing is booked any more. A decline that was stored before stays the outcome. */
  endReversal(key: string, outcome: StoredOutcome): Promise<void>;
  /** Forgets an exchange of which certainly nothing was sent: the key may be sent again. */
  forget(key: string): Promise<void>;
  /** Counts reversals that are not confirmed, up to a bound. */
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
        // A message without an answer gets this outcome. An outcome that was answered stays: it says how much there is to reverse.
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
