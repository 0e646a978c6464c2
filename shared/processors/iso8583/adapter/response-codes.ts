/** Converts response codes of 1987 (field 39) and action codes of 1993 to verdicts, declines and advice of the port. */
import type { DeclineCode } from '../../../domain/decline-codes.js';
import { responseTexts } from '../../../domain/response-codes.js';
import type { DeclineAdvice } from '../../processor.js';
import { isRepeat } from '../line/mti.js';
import type { Profile } from '../profile/profile.js';

/**
 * `done`: approved. `partly`: approved for less. `declined`: refused by issuer or acquirer. `failed`: could not be carried out and
 * had no effect. `missing`: there is no such original. `unclear`: the operation may have had an effect.
 */
export type Verdict = 'done' | 'partly' | 'declined' | 'failed' | 'missing' | 'unclear';

interface Meaning {
  readonly verdict: Verdict;
  readonly text: string;
  readonly declineCode?: DeclineCode;
  readonly authenticate?: true;
  /** Advice that follows from the code; an advice code in the answer takes precedence. */
  readonly advice?: DeclineAdvice;
}

const done = (text: string): Meaning => ({ verdict: 'done', text });
/** Advice by decline code: whether the cardholder or issuer has to change something, or a later try may succeed. */
const advices: Readonly<Partial<Record<DeclineCode, DeclineAdvice>>> = {
  incorrect_number: 'do-not-retry',
  lost_card: 'do-not-retry',
  stolen_card: 'do-not-retry',
  expired_card: 'update-credentials',
  insufficient_funds: 'retry-later',
  amount_limit_exceeded: 'retry-later',
  velocity_exceeded: 'retry-later',
  pickup_card: 'do-not-retry',
  restricted_card: 'do-not-retry',
  stop_payment_order: 'do-not-retry',
  revocation_of_authorization: 'do-not-retry',
  revocation_of_all_authorizations: 'do-not-retry',
  invalid_account: 'do-not-retry',
};
function declined(text: string, declineCode: DeclineCode = 'generic_decline'): Meaning {
  const advice = advices[declineCode];
  return { verdict: 'declined', text, declineCode, ...(advice && { advice }) };
}
const failed = (text: string): Meaning => ({ verdict: 'failed', text });
const unclear = (text: string): Meaning => ({ verdict: 'unclear', text });
const partly: Meaning = { verdict: 'partly', text: 'Approved for a part of the amount' };
const missing: Meaning = { verdict: 'missing', text: 'Unable to locate record' };
const authenticate: Meaning = {
  verdict: 'declined',
  text: 'Additional customer authentication required',
  declineCode: 'authentication_required',
  authenticate: true,
};

/** With any of these codes, the issuer wants the card back. */
const PICK_UP_1987 = ['07', '33', '34', '35', '36', '37', '38', '67'];

/** Codes that are no declines, and declines whose text is not among those that all processors share. */
const meanings1987: Readonly<Record<string, Meaning>> = {
  '00': done('Approved'),
  '08': done('Approved'),
  '11': done('Approved'),
  '16': done('Approved'),
  '85': done('No reason to decline'),
  '10': partly,
  '1A': authenticate,
  ...Object.fromEntries(PICK_UP_1987.map((code) => [code, declined('Pick up card', 'pickup_card')])),
  '02': declined('Refer to the issuer', 'call_issuer'),
  '15': declined('No such issuer', 'incorrect_number'),
  '46': declined('Closed account', 'invalid_account'),
  R3: declined('Revocation of all authorizations', 'revocation_of_all_authorizations'),
  '06': failed('Error'),
  '09': unclear('In progress'),
  '25': missing,
  '30': failed('Format error'),
  '68': unclear('Response received too late'),
  '90': failed('Cut-off in progress'),
  '91': failed('Issuer or switch inoperative'),
  '92': failed('No route to the issuer'),
  // The acquirer has seen the message before, but does not say with which outcome.
  '94': unclear('Duplicate transmission'),
  '96': failed('System malfunction'),
};

/** Declines of 1987 with a decline code; all others are generic declines. */
const declineCodes1987: Readonly<Record<string, DeclineCode>> = {
  '01': 'call_issuer',
  '04': 'pickup_card',
  '14': 'incorrect_number',
  '19': 'reenter_transaction',
  '41': 'lost_card',
  '43': 'stolen_card',
  '51': 'insufficient_funds',
  '54': 'expired_card',
  '55': 'incorrect_pin',
  '57': 'transaction_not_allowed',
  '59': 'fraudulent',
  '61': 'amount_limit_exceeded',
  '62': 'restricted_card',
  '63': 'security_violation',
  '65': 'velocity_exceeded',
  '75': 'pin_try_exceeded',
  N7: 'incorrect_cvc',
  R0: 'stop_payment_order',
  R1: 'revocation_of_authorization',
};

const texts1987: Readonly<Record<string, string>> = responseTexts;

const meanings1993: Readonly<Record<string, Meaning>> = {
  '002': partly,
  '006': partly,
  '100': declined('Do not honor'),
  '101': declined('Expired card', 'expired_card'),
  '102': declined('Suspected fraud', 'fraudulent'),
  '104': declined('Restricted card', 'restricted_card'),
  '106': declined('PIN tries exceeded', 'pin_try_exceeded'),
  '107': declined('Refer to the issuer', 'call_issuer'),
  '108': declined('Refer to the issuer', 'call_issuer'),
  '110': declined('Invalid amount'),
  '111': declined('Invalid card number', 'incorrect_number'),
  '116': declined('Insufficient funds', 'insufficient_funds'),
  '117': declined('Incorrect PIN', 'incorrect_pin'),
  '118': declined('No card record', 'incorrect_number'),
  '119': declined('Transaction not permitted to cardholder', 'transaction_not_allowed'),
  '121': declined('Exceeds amount limit', 'amount_limit_exceeded'),
  '122': declined('Security violation', 'security_violation'),
  '123': declined('Exceeds frequency limit', 'velocity_exceeded'),
  '208': declined('Lost card', 'lost_card'),
  '209': declined('Stolen card', 'stolen_card'),
  '400': done('Accepted'),
  '902': declined('Invalid transaction'),
  '903': declined('Re-enter transaction', 'reenter_transaction'),
  '904': failed('Format error'),
  '906': failed('Cut-over in progress'),
  '907': failed('Issuer or switch inoperative'),
  '908': failed('No route to the issuer'),
  '909': failed('System malfunction'),
  '910': failed('Issuer signed off'),
  // It is not known what the issuer did with the message.
  '911': unclear('Issuer timed out'),
  '912': failed('Issuer unavailable'),
  '913': unclear('Duplicate transmission'),
  '914': missing,
  '923': unclear('In progress'),
};

const otherwise1993 = (code: string): Meaning => {
  if (code.startsWith('0')) return done('Approved');
  // With any code of this range, the issuer wants the card back.
  if (code.startsWith('2')) return declined('Pick up card', 'pickup_card');
  return code.startsWith('1') ? declined('Declined') : unclear('Not understood');
};

const duplicates: Readonly<Record<Profile['version'], string>> = { '1987': '94', '1993': '913' };

/** Returns the meaning of a code. An unknown code is a decline in 1987, like nearly all codes; in 1993 its first digit decides. */
export function meaningOf(code: string, version: Profile['version']): Meaning {
  if (version === '1993') return meanings1993[code] ?? otherwise1993(code);
  return meanings1987[code] ?? declined(texts1987[code] ?? 'Declined', declineCodes1987[code]);
}

interface Before {
  /** Type of the message that was sent. */
  readonly mti: string;
  /** Response code of an earlier answer. */
  readonly heard: string | undefined;
}

/**
 * Returns the meaning of the codes of 1993 with which only advices are answered. With 900 no liability is accepted: that ends a reversal,
 * which asks for none, and leaves a capture to a person.
 */
function acknowledged(code: string, mti: string): Meaning | undefined {
  if (mti[2] !== '2') return undefined;
  return code === '901' || (code === '900' && mti[1] === '4') ? done('Advice accepted') : undefined;
}

/**
 * Returns the meaning of a code that answers an advice or a reversal. "Seen before" in answer to a repeat means that the acquirer has the
 * message: it is done, unless an earlier answer exists, which then still holds. After a first sending it means nothing: another message
 * may have the same numbers.
 */
export function meaningOfAdvice(code: string, version: Profile['version'], { mti, heard }: Before): Meaning {
  const received = version === '1993' ? acknowledged(code, mti) : undefined;
  if (received) return received;
  if (!isRepeat(mti) || code !== duplicates[version]) return meaningOf(code, version);
  return heard === undefined ? done('Received before') : meaningOf(heard, version);
}

/** Whether the code approves: the acquirer has then booked the message, even if the rest of the answer does not fit. */
export const approves = (code: string, version: Profile['version']): boolean =>
  ['done', 'partly'].includes(meaningOf(code, version).verdict);

/** Returns what to store of an answer that decides nothing: "seen before" does not replace the code of the earlier answer. */
export const heardNow = (code: string, version: Profile['version'], heard: string | undefined) => ({
  code: code === duplicates[version] ? (heard ?? code) : code,
});
