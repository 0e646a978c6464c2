/**
 * Reversals. They are repeated under the same numbers until the acquirer answers: the gateway's own work calls again, so nothing
 * is repeated in memory.
 */
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import { after } from '../../../domain/time.js';
import type { IsoExchange, StoredOutcome } from '../../../store/iso8583-exchange.model.js';
import type { Declined, NoAnswer, ReverseResult } from '../../processor.js';
import { isRepeat } from '../line/mti.js';
import { buildReversal } from './build-message.js';
import type { IsoContext } from './context.js';
import { takenBack } from './outcomes.js';
import { codeOf } from './read-answer.js';
import { heardNow, meaningOfAdvice } from './response-codes.js';

const noAnswer = (internal: string): NoAnswer => ({ kind: 'no-answer', internal });

interface More {
  /** What is taken back, where it is not the whole amount. */
  readonly amountMinor?: number;
  /** What the exchange ends with, where it is not "taken back". */
  readonly outcome?: Declined;
}

async function begin(context: IsoContext, exchange: IsoExchange, { amountMinor, outcome }: More) {
  const trace = exchange.reversal ?? (await context.stans.next(exchange.terminal));
  // Of a part that was kept at first, no more than the part is there.
  const { approvedMinor = exchange.amountMinor } = (exchange.outcome ?? {}) as { approvedMinor?: number };
  const reversal = { stan: trace.stan, at: trace.at, amountMinor: amountMinor ?? approvedMinor };
  const stored = outcome as StoredOutcome | undefined;
  return context.journal.startReversal(exchange._id, reversal, stored);
}

/** Sends the reversal of an exchange once, and keeps what came of it. */
export async function takeBack(context: IsoContext, exchange: IsoExchange, more: More = {}): Promise<ReverseResult> {
  const { dialect, lines, journal, timeoutMs, clock } = context;
  const place = await lines.reserve();
  if ('internal' in place) return noAnswer(place.internal);
  try {
    const begun = await begin(context, exchange, more);
    // Another process has ended it in the meantime.
    if (!begun) return { kind: 'reversed' };
    const message = buildReversal(begun, dialect, exchange.reversal !== undefined);
    const result = await place.exchange(message, timeoutMs);
    if (result.kind !== 'answered') return noAnswer(result.internal);
    const code = codeOf(result.message);
    const before = { repeats: isRepeat(message.mti), heard: begun.reversal?.heard?.code };
    const { verdict } = meaningOfAdvice(code, dialect.profile.version, before);
    if (verdict === 'done') {
      await journal.endReversal(exchange._id, more.outcome ? { ...more.outcome } : { ...takenBack });
      const ticket = result.message.fields[37]?.trim();
      return { kind: 'reversed', ...(ticket && { ticket }) };
    }
    await journal.heard(exchange._id, 'reversal', heardNow(code, dialect.profile.version, before.heard));
    if (verdict !== 'missing') return noAnswer(`the acquirer refuses the reversal with ${code}`);
    const mayArriveUntil = after(exchange.trace.at, timeoutMs + iso8583Limits.settlesMs);
    if (clock.now() < mayArriveUntil) {
      return { ...noAnswer('the acquirer does not know it; it may still arrive'), tellsAt: mayArriveUntil };
    }
    await journal.endReversal(exchange._id, { ...takenBack });
    return { kind: 'nothing-found' };
  } finally {
    place.release();
  }
}
