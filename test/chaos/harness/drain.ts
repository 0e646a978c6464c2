/** Waits until a run has nothing left to do: every payment is settled, or waits for a person. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { waitsForPerson } from './evidence.js';
import type { Stack } from './stack.js';

export interface DrainLimits {
  /** Time for everything (ms). */
  readonly withinMs: number;
  /**
   * Additional time for payments whose next try is in the future (ms). Faults may take a payment through the short steps of the schedule
   * while the load still runs. The later steps are minutes apart even with the run's `TIME_SCALE`. Overdue tries get no additional time.
   */
  readonly scheduledMs?: number;
}

/** A due try is under way until it is this late. After that it was missed (ms). */
const UNDER_WAY_MS = 20_000;

const isScheduled = ({ work }: Payment): boolean =>
  work !== undefined && work.dueAt.getTime() > Date.now() - UNDER_WAY_MS;

/**
 * @param isIdle whether everything else, beside the work of payments, is done
 * @returns how long it took (ms); the audit finds what is still open then
 */
export async function drain(
  { database }: Pick<Stack, 'database'>,
  { withinMs, scheduledMs = 0 }: DrainLimits,
  isIdle: () => Promise<boolean> = async () => true,
): Promise<number> {
  const startedAt = performance.now();
  const payments = database.collection<Payment>('payments');
  for (let tookMs = 0; ; tookMs = performance.now() - startedAt) {
    const open = await payments.find({ 'work.dueAt': { $exists: true } } as never).toArray();
    const unsettled = open.filter((payment) => !waitsForPerson(payment));
    const isAllScheduled = unsettled.length > 0 && unsettled.every(isScheduled);
    if (unsettled.length === 0 && (await isIdle())) return tookMs;
    if (tookMs >= withinMs + (isAllScheduled ? scheduledMs : 0)) return tookMs;
    await pause(250);
  }
}
