/**
 * Finds the outcome of a key. ISO 8583 has no inquiry: answers are in the journal, and an exchange without one is resolved as the
 * standard says. A capture or cancellation is an advice and is repeated; everything else is reversed.
 */
import type { IsoExchange } from '../../../store/iso8583-exchange.model.js';
import type { InquireResult, NoAnswer } from '../../processor.js';
import { buildRepeat } from './build-message.js';
import type { IsoContext } from './context.js';
import { outcomeOf, reversedOutcome, unknownUntil } from './outcomes.js';
import { codeOf, readAnswer, referencesOf } from './read-answer.js';
import { heardNow } from './response-codes.js';
import { sendReversal } from './take-back.js';

const noAnswer = (internal: string): NoAnswer => ({ kind: 'no-answer', internal });
const isAdvice = ({ kind }: IsoExchange) => kind === 'capture' || kind === 'cancel';

async function repeatAdvice(context: IsoContext, exchange: IsoExchange): Promise<InquireResult> {
  const { dialect, journal, lines, timeoutMs } = context;
  const original = await journal.find(exchange.original ?? '');
  if (!original) return noAnswer('its original is not in the journal any more');
  const place = await lines.reserve();
  if ('internal' in place) return noAnswer(place.internal);
  const message = buildRepeat(exchange, dialect, original);
  const result = await place.exchange(message, timeoutMs);
  if (result.kind !== 'answered') return noAnswer(result.internal);
  const heard = exchange.heard?.code;
  const reading = readAnswer(message, result.message, dialect.profile, { isVerification: false, heard });
  if (reading.kind === 'unknown' || reading.kind === 'partly') {
    await journal.heard(exchange._id, 'message', heardNow(codeOf(result.message), dialect.profile.version, heard));
    return noAnswer('the answer does not fit');
  }
  const kept = await journal.answer(exchange._id, { outcome: { ...reading }, ...referencesOf(result.message) });
  return kept ? { kind: 'found', outcome: reading } : noAnswer('it was settled in the meantime');
}

async function undo(context: IsoContext, exchange: IsoExchange): Promise<InquireResult> {
  const result = await sendReversal(context, exchange);
  if (result.kind === 'no-answer') return result;
  const ended = await context.journal.find(exchange._id);
  return { kind: 'found', outcome: ended ? outcomeOf(ended) : reversedOutcome };
}

/** @param restored whether the answer may have come after the backup: an advice may be repeated, everything else is left to a person */
export async function inquireOperation(context: IsoContext, key: string, restored = false): Promise<InquireResult> {
  const exchange = await context.journal.find(key);
  if (!exchange) return { kind: 'not-found' };
  const { state, deadlineAt } = exchange;
  if (state === 'answered' || state === 'reversed') return { kind: 'found', outcome: outcomeOf(exchange) };
  if (restored && state === 'sent' && !isAdvice(exchange)) return { kind: 'not-found' };
  const now = context.clock.now();
  if (state === 'sent' && now < deadlineAt) return unknownUntil('its answer may still come', deadlineAt, now);
  return state === 'sent' && isAdvice(exchange) ? repeatAdvice(context, exchange) : undo(context, exchange);
}
