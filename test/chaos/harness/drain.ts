/** Waits until a run has nothing left to do: all is settled, or waits for a person. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { waitsForPerson } from './evidence.js';
import type { Stack } from './stack.js';

export interface DrainLimits {
  /** For all that is to be done by then, in milliseconds. */
  readonly withinMs: number;
  /**
   * So much longer for payments whose next try lies ahead, in milliseconds. Faults may take one through the short steps of the schedule
   * while the load still runs; the later ones are minutes apart even with the run's `TIME_SCALE`. What is overdue is not waited for.
   */
  readonly scheduledMs?: number;
}

/** A try that is due is on its way; one that is this late was missed. In milliseconds. */
const UNDER_WAY_MS = 20_000;

const isScheduled = ({ work }: Payment): boolean =>
  work !== undefined && work.dueAt.getTime() > Date.now() - UNDER_WAY_MS;

/**
 * @param isIdle what else has to be done with, beside the work of payments
 * @returns how long it took, in milliseconds; what is still open then is for the audit to find
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
