/** Reads the details of an answer from their places in the profile. An unreadable detail is left out; it is never an error. */
import type { DeclineAdvice, NetworkAnswer } from '../../processor.js';
import type { IsoMessage } from '../codec/message.js';
import type { AnsweredPart, Profile } from '../profile/profile.js';
import { partsOf } from './tagged-fields.js';

type Said = Readonly<Partial<Record<AnsweredPart, string>>>;

function saidIn(sent: IsoMessage, answer: IsoMessage, { answers, tagged }: Profile): Said {
  const valueIn = (value: string | undefined, field: number, tag: string | undefined): string | undefined => {
    const format = tagged[field];
    return value === undefined || tag === undefined || !format ? value : partsOf(value, format).get(tag);
  };
  const valueAt = (field: number, tag: string | undefined): string | undefined => {
    const value = valueIn(answer.fields[field], field, tag);
    // What comes back unchanged says nothing about this payment: it may name the first payment.
    return value === valueIn(sent.fields[field], field, tag) ? undefined : value;
  };
  const entries = Object.entries(answers).map(([what, { field, tag }]) => [what, valueAt(field, tag)?.trim()] as const);
  return Object.fromEntries(entries.filter(([, value]) => value)) as Said;
}

type Avs = NonNullable<NonNullable<NetworkAnswer['checks']>['avs']>;
const both = { address: 'match', postalCode: 'match' } as const;
const addressOnly = { address: 'match', postalCode: 'no-match' } as const;
const postalOnly = { address: 'no-match', postalCode: 'match' } as const;

/** Meanings of the AVS letters that all networks share. Other letters are kept as a code without a meaning. */
const avsMeanings: Readonly<Record<string, Omit<Avs, 'code'>>> = {
  Y: both,
  X: both,
  D: both,
  M: both,
  A: addressOnly,
  B: { address: 'match', postalCode: 'not-checked' },
  Z: postalOnly,
  W: postalOnly,
  P: { address: 'not-checked', postalCode: 'match' },
  N: { address: 'no-match', postalCode: 'no-match' },
};

const cvcMeanings: Readonly<Record<string, 'match' | 'no-match'>> = { M: 'match', N: 'no-match' };

/** Meanings of Mastercard's merchant advice codes; other codes are kept without a meaning. */
const adviceMeanings: Readonly<Record<string, DeclineAdvice>> = {
  '01': 'update-credentials',
  '02': 'retry-later',
  '03': 'do-not-retry',
  '21': 'do-not-retry',
  ...Object.fromEntries(['24', '25', '26', '27', '28', '29', '30'].map((code) => [code, 'retry-later' as const])),
};

function checksOf({ avs, cvcResult }: Said): Pick<NetworkAnswer, 'checks'> {
  if (avs === undefined && cvcResult === undefined) return {};
  return {
    checks: {
      ...(avs !== undefined && { avs: { code: avs, ...avsMeanings[avs] } }),
      ...(cvcResult !== undefined && { cvc: { code: cvcResult, result: cvcMeanings[cvcResult] ?? 'not-checked' } }),
    },
  };
}

/** Reads the updated expiry, YYMM as in field 14. */
function expiryOf({ updatedExpiry }: Said): Pick<NetworkAnswer, 'updatedExpiry'> {
  const [, year, month] = /^(\d\d)(0[1-9]|1[0-2])$/.exec(updatedExpiry ?? '') ?? [];
  return year && month ? { updatedExpiry: { expMonth: Number(month), expYear: 2000 + Number(year) } } : {};
}

export interface AnswerDetails {
  readonly network: NetworkAnswer;
  /** Only for a decline. */
  readonly decline: { readonly networkAdviceCode?: string; readonly advice?: DeclineAdvice };
}

export function readDetails(sent: IsoMessage, answer: IsoMessage, profile: Profile): AnswerDetails {
  const said = saidIn(sent, answer, profile);
  const { networkTransactionId, networkLinkId, adviceCode } = said;
  const advice = adviceCode === undefined ? undefined : adviceMeanings[adviceCode];
  return {
    network: {
      ...(networkTransactionId !== undefined && { networkTransactionId }),
      ...(networkLinkId !== undefined && { networkLinkId }),
      ...checksOf(said),
      ...expiryOf(said),
    },
    decline: { ...(adviceCode !== undefined && { networkAdviceCode: adviceCode }), ...(advice && { advice }) },
  };
}
