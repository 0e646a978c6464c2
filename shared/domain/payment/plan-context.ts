import type { Schedule } from '../schedule.js';
import type { Moment } from './apply-moves.js';

/** What a plan needs from outside: the time, how a callback body is rendered, the waits, and new ids. */
export interface PlanContext extends Moment {
  readonly schedule: Schedule;
  newTxId(): string;
}

/** What a plan from a processor's answer needs besides: traits that say what the answer proves (see `ProcessorTraits` of the port). */
export interface ProcessorContext extends PlanContext {
  readonly traits: {
    readonly dedupes: boolean;
    readonly tombstones: boolean;
    readonly refundNeedsPan: boolean;
    readonly inquiresBySending?: true;
    readonly outcomesKeptHere?: true;
  };
}
