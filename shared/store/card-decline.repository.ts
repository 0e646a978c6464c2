/** Declines of the last month, counted to notice card testing (docs/security.md#card-testing). */
import { limits } from '../../config/limits.js';
import { CARD_DECLINES, type CardDecline } from './card-decline.model.js';
import { type Database, durable, isDuplicateKey, type Where } from './database.js';

export interface CardDeclineRepository {
  /** Stores a decline. A second one for the same transaction changes nothing. */
  insert(decline: CardDecline): Promise<void>;
  /** Counts up to `max`. */
  count(filter: Where<CardDecline>, max: number): Promise<number>;
}

export function createCardDeclineRepository(database: Database): CardDeclineRepository {
  const declines = database.collection<CardDecline>(CARD_DECLINES);
  return {
    async insert(decline) {
      try {
        await declines.insertOne(decline, { writeConcern: durable });
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    },
    count: (filter, max) => declines.countDocuments(filter, { limit: max, maxTimeMS: limits.mongoQueryMs }),
  };
}
