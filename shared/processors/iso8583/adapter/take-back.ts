/**
 * Reversals. A reversal is repeated under the same numbers until the acquirer answers: the core's work calls again, so nothing
 * is repeated in memory.
 */
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import { after } from '../../../domain/time.js';
import type { IsoExchange } from '../../../store/iso8583-exchange.model.js';
import type { NoAnswer, ReverseResult } from '../../processor.js';
import { buildReversal } from './build-message.js';
import type { IsoContext } from './context.js';
import { refusedReversal, reversedOutcome, unknownUntil } from './outcomes.js';
import { codeOf } from './read-answer.js';
import { heardNow, meaningOfAdvice } from './response-codes.js';

const noAnswer = (internal: string): NoAnswer => ({ kind: 'no-answer', internal });

async function begin({ stans, journal }: IsoContext, exchange: IsoExchange) {
  const { terminal, amountMinor: asked, heard, outcome } = exchange;
  const { stan, at } = exchange.reversal ?? (await stans.next(terminal));
  const { approvedMinor = asked } = (outcome ?? {}) as { approvedMinor?: number };
  // After a partial approval only the part can be reversed, whether the merchant accepted it or not.
  const amountMinor = heard?.amountMinor ?? approvedMinor;
  const declined = heard?.amountMinor === undefined ? undefined : { ...refusedReversal(heard.code) };
  return journal.startReversal(exchange._id, { stan, at, amountMinor }, declined);
}

/** Whether an answer has approved the exchange. "Not known" from the acquirer does not end its reversal then. */
const wasApproved = ({ heard, outcome }: IsoExchange): boolean =>
  heard?.approves === true || outcome?.kind === 'approved';

/** Sends the reversal of an exchange once, and stores the result. */
export async function sendReversal(context: IsoContext, exchange: IsoExchange): Promise<ReverseResult> {
  const { dialect, lines, journal, timeoutMs, clock } = context;
  const place = await lines.reserve();
  if ('internal' in place) return noAnswer(place.internal);
  try {
    const begun = await begin(context, exchange);
    // Another process has finished the reversal in the meantime.
    if (!begun) return { kind: 'reversed' };
    const message = buildReversal(begun, dialect, exchange.reversal !== undefined);
    const result = await place.exchange(message, timeoutMs);
    if (result.kind !== 'answered') return noAnswer(result.internal);
    const code = codeOf(result.message);
    const before = { mti: message.mti, heard: begun.reversal?.heard?.code };
    const { verdict } = meaningOfAdvice(code, dialect.profile.version, before);
    if (verdict === 'done') {
      await journal.endReversal(exchange._id, { ...reversedOutcome });
      const ticket = result.message.fields[37]?.trim();
      return { kind: 'reversed', ...(ticket && { ticket }) };
    }
    await journal.heard(exchange._id, 'reversal', heardNow(code, dialect.profile.version, before.heard));
    if (verdict !== 'missing') return noAnswer(`the acquirer refuses the reversal with ${code}`);
    // Read the exchange again: its answer may have arrived in the meantime.
    if (wasApproved((await journal.find(exchange._id)) ?? begun)) {
      return noAnswer(`the acquirer approved it and answers its reversal with ${code}, not known`);
    }
    const mayArriveUntil = after(exchange.trace.at, timeoutMs + iso8583Limits.settlesMs);
    const now = clock.now();
    if (now < mayArriveUntil) {
      return unknownUntil('the acquirer does not know it; it may still arrive', mayArriveUntil, now);
    }
    await journal.endReversal(exchange._id, { ...reversedOutcome });
    return { kind: 'nothing-found' };
  } finally {
    place.release();
  }
}
