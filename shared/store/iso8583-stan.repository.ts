/** System trace audit numbers (STANs): unique for a terminal and day over all processes, taken from MongoDB in blocks. */
import { Schema } from 'mongoose';
import { iso8583Limits } from '../../config/iso8583-limits.js';
import { limits } from '../../config/limits.js';
import type { Clock } from '../clock.js';
import { type Database, durable, isDuplicateKey } from './database.js';
import type { IsoTrace } from './iso8583-exchange.model.js';

interface StanRow {
  /** `<terminal>:<day of the transmission in UTC>` */
  readonly _id: string;
  /** Last number of the blocks that were taken. */
  readonly last: number;
  readonly expireAt: Date;
}

export const isoStanSchema = new Schema<StanRow>(
  {
    _id: { type: String, required: true },
    last: { type: Number, required: true },
    expireAt: { type: Date, required: true },
  },
  { versionKey: false, strict: 'throw', collection: 'iso8583_stans', autoIndex: false, autoCreate: false },
);
isoStanSchema.index({ expireAt: 1 }, { expireAfterSeconds: 0 });

/** The terminal has sent its 999,999 messages of the day. */
export class StansUsedUpError extends Error {
  override readonly name = 'StansUsedUpError';
}

export interface IsoStans {
  /** Returns a number that no other message of this terminal has on this day, and the time that determines the day. */
  next(terminal: string): Promise<IsoTrace>;
}

interface Block {
  readonly day: string;
  next: number;
  last: number;
  taking: Promise<void> | undefined;
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10);

export function createIsoStans(database: Database, clock: Clock): IsoStans {
  const rows = database.collection<StanRow>('iso8583_stans');
  const blocks = new Map<string, Block>();

  async function take(terminal: string, block: Block, tries = 1): Promise<void> {
    const _id = `${terminal}:${block.day}`;
    const expireAt = new Date(Date.parse(block.day) + iso8583Limits.stansKeptMs);
    const update = { $inc: { last: iso8583Limits.stanBlock }, $setOnInsert: { expireAt } };
    const options = {
      upsert: true,
      returnDocument: 'after',
      writeConcern: durable,
      maxTimeMS: limits.mongoQueryMs,
    } as const;
    try {
      const row = await rows.findOneAndUpdate({ _id }, update, options);
      if (!row) throw new Error('MongoDB did not answer the block of STANs');
      block.next = row.last - iso8583Limits.stanBlock + 1;
      block.last = Math.min(row.last, iso8583Limits.stanMax);
    } catch (error) {
      // Two processes created the row of the day at once.
      if (!isDuplicateKey(error) || tries > 1) throw error;
      await take(terminal, block, tries + 1);
    }
  }

  async function next(terminal: string): Promise<IsoTrace> {
    const at = clock.now();
    const day = dayOf(at);
    let block = blocks.get(terminal);
    if (block?.day !== day) {
      block = { day, next: 1, last: 0, taking: undefined };
      blocks.set(terminal, block);
    }
    if (block.next > iso8583Limits.stanMax) throw new StansUsedUpError(`terminal ${terminal} has no STAN left today`);
    if (block.next <= block.last) {
      const stan = String(block.next).padStart(6, '0');
      block.next += 1;
      return { stan, at };
    }
    const taken = block;
    block.taking ??= take(terminal, block).finally(() => {
      taken.taking = undefined;
    });
    await block.taking;
    return next(terminal);
  }

  return { next };
}
