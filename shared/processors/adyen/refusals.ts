/** Reasons of refusals and results of checks, in the words of the port (development-resources/refusal-reasons, .../avs). */
import { defined } from '../../domain/defined.js';
import type { DeclineAdvice, NetworkAnswer } from '../processor.js';
import type { AdyenAnswer } from './wire.js';

interface Refusal {
  /** ISO 8583 response code that comes next to it. */
  readonly iso: string;
  readonly declineCode: string;
  readonly advice?: DeclineAdvice;
  readonly authenticate?: true;
}

const refusal = (iso: string, declineCode: string, advice?: DeclineAdvice): Refusal => ({
  iso,
  declineCode,
  ...(advice && { advice }),
});
const generic = (iso: string): Refusal => refusal(iso, 'generic_decline');
const authenticate: Refusal = { iso: '1A', declineCode: 'authentication_required', authenticate: true };

/** By `refusalReasonCode`. What is not here is a plain decline. */
const byCode: Readonly<Record<string, Refusal>> = {
  '2': generic('05'),
  '3': refusal('01', 'call_issuer'),
  '4': refusal('96', 'processing_error', 'retry-later'),
  '5': refusal('62', 'restricted_card', 'do-not-retry'),
  '6': refusal('54', 'expired_card', 'update-credentials'),
  '7': refusal('13', 'invalid_amount'),
  '8': refusal('14', 'incorrect_number', 'update-credentials'),
  '9': refusal('91', 'issuer_not_available', 'retry-later'),
  '10': refusal('57', 'transaction_not_allowed'),
  '11': authenticate,
  '12': refusal('51', 'insufficient_funds', 'retry-later'),
  '14': refusal('59', 'fraudulent'),
  '17': refusal('55', 'incorrect_pin'),
  '18': refusal('75', 'pin_try_exceeded'),
  '20': refusal('59', 'fraudulent'),
  '22': refusal('59', 'fraudulent'),
  '23': refusal('57', 'transaction_not_allowed'),
  '24': refusal('N7', 'incorrect_cvc'),
  '25': refusal('62', 'restricted_card', 'do-not-retry'),
  '26': refusal('R1', 'revocation_of_authorization', 'do-not-retry'),
  '27': generic('05'),
  '28': refusal('61', 'amount_limit_exceeded', 'retry-later'),
  '29': refusal('65', 'velocity_exceeded', 'retry-later'),
  '31': refusal('59', 'fraudulent'),
  '32': refusal('05', 'incorrect_address'),
  '38': authenticate,
  '39': authenticate,
  '42': authenticate,
  '46': refusal('05', 'do_not_retry', 'do-not-retry'),
};

const plain = generic('05');

export const refusalOf = (code: string | undefined): Refusal => byCode[code ?? ''] ?? plain;

/** Mastercard's merchant advice codes go before what the reason suggests. */
const advices: Readonly<Record<string, DeclineAdvice>> = {
  '01': 'update-credentials',
  '02': 'retry-later',
  '03': 'do-not-retry',
  '04': 'do-not-retry',
  '21': 'do-not-retry',
  '24': 'retry-later',
  '25': 'retry-later',
  '26': 'retry-later',
  '27': 'retry-later',
  '28': 'retry-later',
  '29': 'retry-later',
  '30': 'retry-later',
};

/** `51 : Insufficient funds` → `51` */
const rawCode = (raw: string | undefined): string | undefined => /^\s*(\w{1,4})\s*(:|$)/.exec(raw ?? '')?.[1];

/** `01: New account information available` → `01` */
const adviceCode = (raw: string | undefined): string | undefined =>
  /^\s*(\d{1,2})\b/.exec(raw ?? '')?.[1]?.padStart(2, '0');

export function declineDetails({ refusalReasonCode, additionalData = {} }: AdyenAnswer) {
  const networkAdviceCode = adviceCode(additionalData.merchantAdviceCode);
  const advice = advices[networkAdviceCode ?? ''] ?? refusalOf(refusalReasonCode).advice;
  return defined({
    networkDeclineCode: rawCode(additionalData.refusalReasonRaw),
    networkAdviceCode,
    advice,
  });
}

type CheckResult = 'match' | 'no-match' | 'not-checked';
type Avs = readonly [address: CheckResult, postalCode: CheckResult];
const unknown: Avs = ['not-checked', 'not-checked'];

/** By the number in front of `avsResult`: address, postal code. */
const avsResults: Readonly<Record<string, Avs>> = {
  '1': ['match', 'no-match'],
  '2': ['no-match', 'no-match'],
  '6': ['no-match', 'match'],
  '7': ['match', 'match'],
  '9': ['match', 'not-checked'],
  '10': ['no-match', 'not-checked'],
  '12': ['match', 'not-checked'],
  '13': ['no-match', 'not-checked'],
  '14': ['not-checked', 'match'],
  '15': ['not-checked', 'match'],
  '16': ['not-checked', 'no-match'],
  '17': ['not-checked', 'no-match'],
  '19': ['not-checked', 'match'],
  '20': ['match', 'match'],
  '21': ['match', 'not-checked'],
  '23': ['not-checked', 'match'],
  '24': ['match', 'match'],
  '25': ['match', 'not-checked'],
  '26': ['no-match', 'no-match'],
};

const cvcResults: Readonly<Record<string, CheckResult>> = { '1': 'match', '2': 'no-match' };

/** `7 Both postal code and address match` → `7` */
const numberOf = (text: string): string => /^\s*(\d{1,2})\b/.exec(text)?.[1] ?? '';

export function checksOf(additionalData: AdyenAnswer['additionalData'] = {}): Pick<NetworkAnswer, 'checks'> {
  const { avsResult, avsResultRaw, cvcResult, cvcResultRaw } = additionalData;
  const [address, postalCode] = avsResults[numberOf(avsResult ?? '')] ?? unknown;
  const avs = avsResult === undefined ? undefined : { ...defined({ code: avsResultRaw }), address, postalCode };
  const result = cvcResults[numberOf(cvcResult ?? '')] ?? 'not-checked';
  const cvc = cvcResult === undefined ? undefined : { ...defined({ code: cvcResultRaw }), result };
  return avs === undefined && cvc === undefined ? {} : { checks: defined({ avs, cvc }) };
}
