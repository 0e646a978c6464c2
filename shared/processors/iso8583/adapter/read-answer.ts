/** What an answer says about the message that was sent. Anything that is about something else is unknown. Pure. */
import type { Approved, Declined, Failed, Unknown } from '../../processor.js';
import type { IsoMessage } from '../codec/message.js';
import type { Profile } from '../profile/profile.js';
import { meaningOf } from './response-codes.js';

export type Reading =
  | Approved
  | Declined
  | Failed
  | Unknown
  /** Less than was asked for. */
  | { readonly kind: 'partly'; readonly approvedMinor: number; readonly resultCode: string };

/** Fields in which an approval has to repeat what was sent: type, STAN, terminal and time are compared before. */
const REPEATED = { 4: 'amount', 49: 'currency' } as const;

const unknown = (internal: string): Unknown => ({ kind: 'unknown', internal });

/** @param isWhole an approval has to name amount and currency; a decline or the answer to an advice may leave them out */
function mismatch(sent: IsoMessage, answer: IsoMessage, isWhole: boolean): string | undefined {
  for (const [number, name] of Object.entries(REPEATED)) {
    const value = answer.fields[Number(number)];
    if (value === undefined ? isWhole : value !== sent.fields[Number(number)]) return `the answer has another ${name}`;
  }
  const pan = answer.fields[2];
  if (pan !== undefined && sent.fields[2] !== undefined && pan !== sent.fields[2]) return 'the answer has another card';
  return undefined;
}

const textOf = (value: string | undefined) => value?.trim() || undefined;

/** What is kept of an answer beside its outcome. */
export const referencesOf = ({ fields }: IsoMessage) => {
  const [retrievalReference, authorization] = [textOf(fields[37]), textOf(fields[38])];
  return { ...(retrievalReference && { retrievalReference }), ...(authorization && { authorization }) };
};

/** @param isVerification of a card, without money */
export function readAnswer(sent: IsoMessage, answer: IsoMessage, profile: Profile, isVerification: boolean): Reading {
  const code = textOf(answer.fields[39]);
  if (code === undefined) return unknown('the answer has no response code');
  const { verdict, text, declineCode, authenticate } = meaningOf(code, profile.version);
  const { retrievalReference: ticket, authorization } = referencesOf(answer);
  const base = { resultCode: code, resultMessage: text, ...(ticket && { ticket }) };
  if (verdict === 'unclear') return unknown(`response code ${code}: ${text}`);
  if (verdict === 'partly') {
    const approvedMinor = Number(answer.fields[4] ?? Number.NaN);
    const fits = approvedMinor > 0 && approvedMinor <= Number(sent.fields[4]) && answer.fields[49] === sent.fields[49];
    return fits ? { kind: 'partly', approvedMinor, resultCode: code } : unknown('the approved part does not fit');
  }
  const isAdvice = sent.mti[2] === '2';
  const reason = mismatch(sent, answer, verdict === 'done' && !isAdvice);
  if (reason !== undefined) return unknown(reason);
  if (verdict === 'done') return { kind: 'approved', ...base, ...(authorization && { authorization }) };
  if (verdict === 'failed') return { kind: 'failed', ...base };
  const error = authenticate
    ? 'authentication-required'
    : isVerification
      ? 'funds-verification-failed'
      : 'declined-by-acquirer';
  return { kind: 'declined', error, ...base, ...(declineCode !== undefined && { declineCode }) };
}
