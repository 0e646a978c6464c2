/** Reads the outcome from an answer to the message that was sent. An answer about something else is `unknown`. Pure. */
import { findCurrencyByNumber } from '../../../domain/money/currency.js';
import type { AnswerSubject, Approved, Declined, Failed, Unknown } from '../../processor.js';
import type { IsoMessage } from '../codec/message.js';
import type { Profile } from '../profile/profile.js';
import { readDetails } from './read-details.js';
import { meaningOfAdvice } from './response-codes.js';

export type Reading =
  | Approved
  | Declined
  | Failed
  | Unknown
  /** A partial approval: less than the amount requested. */
  | {
      readonly kind: 'partly';
      readonly approvedMinor: number;
      readonly resultCode: string;
      /** The outcome for a merchant that accepts the part. */
      readonly approved: Approved;
    };

/** Fields in which an approval must repeat the request. Type, STAN, terminal and time are already compared before. */
const REPEATED = { 4: 'amount', 49: 'currency' } as const;

const ZEROS = /^0*$/;

const unknown = (internal: string): Unknown => ({ kind: 'unknown', internal });

const hasOtherCard = (sent: IsoMessage, answer: IsoMessage): boolean =>
  answer.fields[2] !== undefined && sent.fields[2] !== undefined && answer.fields[2] !== sent.fields[2];

/**
 * @param isWhole whether amount and currency must be present, as in an approval; a decline or the answer to an advice may omit them
 * @param isApproval whether zeros count as a value; in other answers they only mean that nothing was approved
 */
function mismatch(
  sent: IsoMessage,
  answer: IsoMessage,
  { isWhole, isApproval }: { readonly isWhole: boolean; readonly isApproval: boolean },
): string | undefined {
  for (const [number, name] of Object.entries(REPEATED)) {
    const value = answer.fields[Number(number)];
    if (!isApproval && value !== undefined && ZEROS.test(value)) continue;
    if (value === undefined ? isWhole : value !== sent.fields[Number(number)]) return `the answer has another ${name}`;
  }
  return hasOtherCard(sent, answer) ? 'the answer has another card' : undefined;
}

/** Returns the value without the spaces that only fill its field. Those before it belong to it: the acquirer compares them. */
const keptOf = (value: string | undefined) => (value?.trim() ? value.trimEnd() : undefined);

/** Returns the response code; empty when the answer has none. */
export const codeOf = ({ fields }: IsoMessage): string => fields[39]?.trim() ?? '';

/** Returns the references of an answer that are stored with its outcome. */
export const referencesOf = ({ fields }: IsoMessage) => {
  const [retrievalReference, authorization] = [keptOf(fields[37]), keptOf(fields[38])];
  return { ...(retrievalReference && { retrievalReference }), ...(authorization && { authorization }) };
};

/** Returns what the answer repeats of the request. A partial approval has another amount, and a verification has none. */
function aboutOf({ fields }: IsoMessage, hasAmount: boolean): { about: AnswerSubject } {
  const currency = findCurrencyByNumber(fields[49] ?? '')?.code;
  const amount = hasAmount && fields[4] !== undefined ? { amountMinor: Number(fields[4]) } : {};
  return { about: { ...amount, ...(currency !== undefined && { currency }) } };
}

const isAdvice = ({ mti }: IsoMessage): boolean => mti[2] === '2';

function readPart(sent: IsoMessage, answer: IsoMessage, approved: Approved): Reading {
  const approvedMinor = Number(answer.fields[4] ?? Number.NaN);
  const fits = approvedMinor > 0 && approvedMinor <= Number(sent.fields[4]) && answer.fields[49] === sent.fields[49];
  if (!fits) return unknown('the approved part does not fit');
  if (hasOtherCard(sent, answer)) return unknown('the answer has another card');
  // The whole amount is no partial approval.
  if (approvedMinor === Number(sent.fields[4])) return { ...approved, resultMessage: 'Approved' };
  // An advice says what has happened: it is repeated, never reversed.
  if (isAdvice(sent)) return unknown('an advice was approved for a part');
  return { kind: 'partly', approvedMinor, resultCode: approved.resultCode, approved: { ...approved, approvedMinor } };
}

export interface About {
  /** Whether the message verifies a card, without an amount. */
  readonly isVerification: boolean;
  /** Response code of an earlier answer that decided nothing. */
  readonly heard?: string | undefined;
}

export function readAnswer(
  sent: IsoMessage,
  answer: IsoMessage,
  profile: Profile,
  { isVerification, heard }: About,
): Reading {
  const code = codeOf(answer);
  if (code === '') return unknown('the answer has no response code');
  const meaning = meaningOfAdvice(code, profile.version, { mti: sent.mti, heard });
  const { verdict, text, declineCode, authenticate, advice } = meaning;
  if (verdict === 'unclear') return unknown(`response code ${code}: ${text}`);
  const references = referencesOf(answer);
  const [retrievalReference, authorization] = [references.retrievalReference?.trim(), references.authorization?.trim()];
  const { network, decline } = readDetails(sent, answer, profile);
  const named = retrievalReference && { ticket: retrievalReference, retrievalReference };
  const base = { resultCode: code, resultMessage: text, ...named };
  const approval = { ...base, ...network, ...(authorization && { authorization }) };
  if (verdict === 'partly') return readPart(sent, answer, { kind: 'approved', ...approval, ...aboutOf(answer, false) });
  const isApproval = verdict === 'done';
  const reason = mismatch(sent, answer, { isWhole: isApproval && !isAdvice(sent), isApproval });
  if (reason !== undefined) return unknown(reason);
  const about = aboutOf(answer, !isVerification && (isApproval || !ZEROS.test(answer.fields[4] ?? '')));
  if (isApproval) return { kind: 'approved', ...approval, ...about };
  if (verdict === 'failed') return { kind: 'failed', ...base, ...about };
  const error = authenticate
    ? 'authentication-required'
    : isVerification
      ? 'funds-verification-failed'
      : 'declined-by-acquirer';
  const why = { networkDeclineCode: code, ...(advice && { advice }), ...decline };
  return {
    kind: 'declined',
    error,
    ...base,
    ...network,
    ...why,
    ...about,
    ...(declineCode !== undefined && { declineCode }),
  };
}
