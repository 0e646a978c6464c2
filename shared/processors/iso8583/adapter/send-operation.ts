/**
 * Sends an operation once. The operation is written to the journal before it is sent: the protocol has no place for our keys, and
 * without the journal nothing could be reversed, repeated or identified after a crash (docs/iso8583.md).
 */
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import { startStopwatch } from '../../../clock.js';
import { responseCodes } from '../../../domain/response-codes.js';
import { after } from '../../../domain/time.js';
import type { IsoExchange, IsoTrace } from '../../../store/iso8583-exchange.model.js';
import { StansUsedUpError } from '../../../store/iso8583-stan.repository.js';
import type { Approved, Failed, NotSent, SendResult, Unknown } from '../../processor.js';
import { CodecError } from '../codec/codec-error.js';
import type { IsoMessage } from '../codec/message.js';
import type { Place } from '../line/lines.js';
import type { LateAnswer } from '../line/session.js';
import { retrievalReference } from '../line/times.js';
import { buildOperation, processingCodeOf } from './build-message.js';
import type { IsoContext } from './context.js';
import { outcomeOf, refusedReversal } from './outcomes.js';
import { codeOf, readAnswer, referencesOf } from './read-answer.js';
import type { Outgoing } from './read-request.js';
import { approves } from './response-codes.js';
import { valuesWithoutPlace } from './tagged-fields.js';
import { sendReversal } from './take-back.js';

const notSent = (internal: string): NotSent => ({ kind: 'not-sent', internal });
const unknown = (internal: string): Unknown => ({ kind: 'unknown', internal });

const cannotCarry = (what: string): Failed => ({
  kind: 'failed',
  resultCode: responseCodes.notSupported,
  resultMessage: `Not sent: the acquirer's messages have no place for ${what}`,
});

/** Refuses values without a place before anything is sent: without them, the payment would have other conditions than requested. */
function refusalBeforeSending(
  { extras, card, original }: Outgoing,
  { profile }: IsoContext['dialect'],
): Failed | undefined {
  const [missing] = valuesWithoutPlace(extras, profile);
  if (missing !== undefined) return cannotCarry(missing);
  return card === undefined && original === undefined ? cannotCarry('a check-out without a card number') : undefined;
}

interface Try {
  readonly context: IsoContext;
  readonly outgoing: Outgoing;
  readonly original: IsoExchange | undefined;
  /** Whether bytes of the message may have left. */
  mayHaveLeft: boolean;
  /** Whether the message was encoded and written: a later error is about something else, such as its reversal. */
  isWritten: boolean;
}

function exchangeOf({ outgoing, context }: Try, trace: IsoTrace, mti: string, reference: string): IsoExchange {
  const { key: _id, kind, amountMinor, currency, terminal, merchant, category, original } = outgoing;
  const { timeoutMs, dialect } = context;
  return {
    _id,
    kind,
    state: 'sent',
    ...(original !== undefined && { original }),
    terminal,
    merchant,
    ...(category !== undefined && { category }),
    mti,
    processingCode: processingCodeOf(kind, dialect.profile),
    trace,
    retrievalReference: reference,
    amountMinor: kind === 'verification' ? 0 : amountMinor,
    currency,
    deadlineAt: after(trace.at, timeoutMs),
    expireAt: after(trace.at, iso8583Limits.exchangesKeptMs),
  };
}

/** Returns the result of a key that was used before. */
function again(known: IsoExchange, { amountMinor, currency, kind }: Outgoing): SendResult {
  if (known.state === 'reversed') return outcomeOf(known);
  const same = known.currency === currency && (kind === 'verification' || known.amountMinor === amountMinor);
  if (!same) return unknown('the key was used for another amount');
  if (known.state === 'answered') return outcomeOf(known);
  return unknown('it was sent before, and its outcome is not known yet');
}

/** Reverses a partial approval and declines the payment, so that the payer is asked for another card. */
async function refusePart(context: IsoContext, exchange: IsoExchange, answer: IsoMessage, amountMinor: number) {
  const heard = { code: codeOf(answer), approves: true, amountMinor } as const;
  await context.journal.heard(exchange._id, 'message', heard, referencesOf(answer));
  const result = await sendReversal(context, { ...exchange, heard });
  if (result.kind === 'reversed') return refusedReversal(heard.code);
  return unknown('approved for a part; the part is being taken back');
}

/** Stores the code of an answer that decides nothing, without its references: if it is about something else, they would be wrong. */
function noteHeard({ journal, dialect }: IsoContext, key: string, answer: IsoMessage): Promise<void> {
  const code = codeOf(answer);
  const isApproval = approves(code, dialect.profile.version);
  return journal.heard(key, 'message', { code, ...(isApproval && { approves: true }) });
}

/** Stores the code of a late answer. It decides nothing, but after an approval the operation is never reported as "not found". */
const notesLate =
  (context: IsoContext, key: string): LateAnswer =>
  (answer) => {
    noteHeard(context, key, answer).catch((error) => context.log.error('iso8583.not-recorded', { txId: key, error }));
  };

async function keepAnswer(
  context: IsoContext,
  exchange: IsoExchange,
  sent: IsoMessage,
  answer: IsoMessage,
  takesPart = false,
): Promise<SendResult> {
  const { dialect, journal } = context;
  const reading = readAnswer(sent, answer, dialect.profile, { isVerification: exchange.kind === 'verification' });
  if (reading.kind === 'partly' && !takesPart) return refusePart(context, exchange, answer, reading.approvedMinor);
  const outcome = reading.kind === 'partly' ? reading.approved : reading;
  const isKept =
    outcome.kind !== 'unknown' &&
    (await journal.answer(exchange._id, { outcome: { ...outcome }, ...referencesOf(answer) }));
  if (isKept) return outcome;
  await noteHeard(context, exchange._id, answer);
  return outcome.kind === 'unknown' ? outcome : unknown('answered while it was being taken back');
}

async function sendOn(place: Place, attempt: Try): Promise<SendResult> {
  const { context, outgoing, original } = attempt;
  const elapsedMs = startStopwatch();
  const trace = await context.stans.next(outgoing.terminal);
  // A later operation has the retrieval reference of its original.
  const reference = original?.retrievalReference ?? retrievalReference(trace.at, trace.stan);
  const message = buildOperation(outgoing, trace, reference, context.dialect, original);
  const exchange = exchangeOf(attempt, trace, message.mti, reference);
  const known = await context.journal.begin(exchange);
  if (known) return again(known, outgoing);
  const leftMs = context.timeoutMs - elapsedMs();
  if (leftMs <= 0) {
    await context.journal.forget(exchange._id);
    return notSent('no time was left to send it');
  }
  const answering = place.exchange(message, leftMs, notesLate(context, exchange._id));
  attempt.mayHaveLeft = true;
  const result = await answering;
  attempt.isWritten = true;
  if (result.kind === 'answered') return keepAnswer(context, exchange, message, result.message, outgoing.takesPart);
  if (result.kind === 'not-sent') await context.journal.forget(exchange._id);
  return result;
}

/** @param original the authorization or purchase that a capture, cancellation or refund acts on */
export async function sendOperation(
  context: IsoContext,
  outgoing: Outgoing,
  original?: IsoExchange,
): Promise<SendResult> {
  const refused = refusalBeforeSending(outgoing, context.dialect);
  if (refused) return refused;
  const place = await context.lines.reserve();
  if ('internal' in place) return notSent(place.internal);
  const attempt: Try = { context, outgoing, original, mayHaveLeft: false, isWritten: false };
  try {
    return await sendOn(place, attempt);
  } catch (error) {
    if (error instanceof StansUsedUpError) return notSent(error.message);
    // The profile cannot encode the message: nothing has left, and another try would fail too.
    if (error instanceof CodecError && !attempt.isWritten) {
      await context.journal.forget(outgoing.key);
      return cannotCarry(`a value of field ${error.field}`);
    }
    context.log.error('iso8583.not-recorded', { txId: outgoing.key, error });
    return attempt.mayHaveLeft ? unknown('its answer was not recorded') : notSent('it was not recorded');
  } finally {
    place.release();
  }
}

/** Answer to the cancellation of a verification, which holds nothing that could be released. */
export const nothingHeld: Approved = {
  kind: 'approved',
  resultCode: responseCodes.approved,
  resultMessage: 'Nothing was held',
};
