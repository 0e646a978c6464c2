/** Converts reasons of refusals and results of checks to those of the port (development-resources/refusal-reasons, .../avs). */
import type { DeclineCode } from '../../domain/decline-codes.js';
import { defined } from '../../domain/defined.js';
import { responseCodes as codes } from '../../domain/response-codes.js';
import type { DeclineAdvice, NetworkAnswer } from '../processor.js';
import type { AdyenAnswer } from './wire.js';

interface Refusal {
  /** ISO 8583 response code that is closest to the reason. */
  readonly iso: string;
  readonly declineCode: DeclineCode;
  readonly advice?: DeclineAdvice;
  readonly authenticate?: true;
}

const refusal = (iso: string, declineCode: DeclineCode, advice?: DeclineAdvice): Refusal => ({
  iso,
  declineCode,
  ...(advice && { advice }),
});
const generic = (iso: string): Refusal => refusal(iso, 'generic_decline');
const authenticate: Refusal = {
  iso: codes.authenticationRequired,
  declineCode: 'authentication_required',
  authenticate: true,
};

/** By `refusalReasonCode`. A code that is not here is a generic decline. */
const byCode: Readonly<Record<string, Refusal>> = {
  '2': generic(codes.doNotHonor),
  '3': refusal(codes.referToIssuer, 'call_issuer'),
  '4': refusal(codes.systemMalfunction, 'processing_error', 'retry-later'),
  '5': refusal(codes.restrictedCard, 'restricted_card', 'do-not-retry'),
  '6': refusal(codes.expiredCard, 'expired_card', 'update-credentials'),
  '7': refusal(codes.invalidAmount, 'invalid_amount'),
  '8': refusal(codes.invalidCardNumber, 'incorrect_number', 'update-credentials'),
  '9': refusal(codes.issuerInoperative, 'issuer_not_available', 'retry-later'),
  '10': refusal(codes.notPermittedToCardholder, 'transaction_not_allowed'),
  '11': authenticate,
  '12': refusal(codes.insufficientFunds, 'insufficient_funds', 'retry-later'),
  '14': refusal(codes.suspectedFraud, 'fraudulent'),
  '17': refusal(codes.incorrectPin, 'incorrect_pin'),
  '18': refusal(codes.pinTriesExceeded, 'pin_try_exceeded'),
  '20': refusal(codes.suspectedFraud, 'fraudulent'),
  '22': refusal(codes.suspectedFraud, 'fraudulent'),
  '23': refusal(codes.notPermittedToCardholder, 'transaction_not_allowed'),
  '24': refusal(codes.cvcFailure, 'incorrect_cvc'),
  '25': refusal(codes.restrictedCard, 'restricted_card', 'do-not-retry'),
  '26': refusal(codes.authorizationRevoked, 'revocation_of_authorization', 'do-not-retry'),
  '27': generic(codes.doNotHonor),
  '28': refusal(codes.exceedsAmountLimit, 'amount_limit_exceeded', 'retry-later'),
  '29': refusal(codes.exceedsFrequencyLimit, 'velocity_exceeded', 'retry-later'),
  '31': refusal(codes.suspectedFraud, 'fraudulent'),
  '32': refusal(codes.doNotHonor, 'incorrect_address'),
  '38': authenticate,
  '39': authenticate,
  '42': authenticate,
  '46': refusal(codes.doNotHonor, 'do_not_retry', 'do-not-retry'),
  '50': refusal(codes.authorizationRevoked, 'revocation_of_authorization', 'do-not-retry'),
};

const plain = generic(codes.doNotHonor);

export const refusalOf = (code: string | undefined): Refusal => byCode[code ?? ''] ?? plain;

/** Codes by `refusalReason`, reduced to letters and digits: most notifications have only this text. */
const codeByReason = new Map(
  Object.entries({
    ...{ refused: '2', referral: '3', acquirererror: '4', blockedcard: '5', expiredcard: '6', invalidamount: '7' },
    ...{ invalidcardnumber: '8', issuerunavailable: '9', notsupported: '10', '3dnotauthenticated': '11' },
    ...{ notenoughbalance: '12', acquirerfraud: '14', invalidpin: '17', pintriesexceeded: '18', fraud: '20' },
    ...{ fraudcancelled: '22', transactionnotpermitted: '23', cvcdeclined: '24', restrictedcard: '25' },
    ...{ revocationofauth: '26', declinednongeneric: '27', withdrawalamountexceeded: '28' },
    ...{ withdrawalcountexceeded: '29', issuersuspectedfraud: '31', avsdeclined: '32', authenticationrequired: '38' },
    ...{ rreqnotreceivedfromds: '39', '3dsauthenticationerror': '42', tokenrevoked: '50' },
    transactionblockedbyadyentopreventexcessiveretryfees: '46',
  }),
);

/** Returns the `refusalReasonCode` for the text of a reason; undefined for an unknown text. */
export const codeOfReason = (reason: string | undefined): string | undefined =>
  codeByReason.get((reason ?? '').toLowerCase().replace(/[^a-z0-9]/g, ''));

/** Advice by Mastercard's merchant advice code, which takes precedence over the advice of the reason. */
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

export function declineDetails({
  refusalReasonCode,
  additionalData = {},
}: Pick<AdyenAnswer, 'refusalReasonCode' | 'additionalData'>) {
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

/** Results for address and postal code by the number at the start of `avsResult`. */
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
