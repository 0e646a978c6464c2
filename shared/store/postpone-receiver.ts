/**
 * Moves all waiting deliveries of a receiver to the end of its pause, in many small statements. After a day without the receiver there
 * may be hundreds of thousands, and one statement for all of them would still run in MongoDB long after its caller gave up.
 */
import { limits } from '../../config/limits.js';
import { type Delivery, type Receiver, receiverKey } from '../domain/callback/delivery.js';
import { latest } from '../domain/time.js';
import type { Collection } from './database.js';
import { notHeld } from './delivery-records.js';

interface Move {
  readonly receiver: Receiver;
  until: Date;
  ended: Promise<void>;
}

export interface ReceiverMoves {
  /** Moves the deliveries of a receiver. A later end joins the move of the receiver that is under way. */
  move(receiver: Receiver, until: Date): Promise<void>;
  /** Receivers whose move is under way: what is due for them is not to be sent. */
  underWay(): readonly Receiver[];
}

export function createReceiverMoves(deliveries: Collection<Delivery>): ReceiverMoves {
  const moves = new Map<string, Move>();

  /** @returns how many were found. */
  async function moveSome({ receiver: { host, clientId }, until }: Move): Promise<number> {
    const before = { ...notHeld, host, clientId, dueAt: { $lt: until } };
    const found = await deliveries
      .find<Pick<Delivery, '_id'>>(before, {
        ...{ projection: { _id: 1 }, hint: 'of_receiver', limit: limits.callbackMovedMax },
        maxTimeMS: limits.mongoQueryMs,
      })
      .toArray();
    if (found.length > 0) {
      const among = { ...before, _id: { $in: found.map(({ _id }) => _id) } };
      await deliveries.updateMany(among, { $set: { dueAt: until } }, { hint: { _id: 1 } });
    }
    return found.length;
  }

  async function moveAll(move: Move): Promise<void> {
    for (;;) {
      const { until } = move;
      const found = await moveSome(move);
      if (found < limits.callbackMovedMax && move.until.getTime() === until.getTime()) return;
    }
  }

  return {
    move({ host, clientId }, until) {
      const key = receiverKey({ host, clientId });
      const known = moves.get(key);
      if (known) {
        known.until = latest(known.until, until);
        return known.ended;
      }
      const move: Move = { receiver: { host, clientId }, until, ended: Promise.resolve() };
      moves.set(key, move);
      move.ended = moveAll(move).finally(() => moves.delete(key));
      return move.ended;
    },
    underWay: () => [...moves.values()].map(({ receiver }) => receiver),
  };
}
