/**
 * THE TEST-CARD FILE (docs/decisions.md, "The test processor"): every card number and amount with a prepared outcome. The simulator,
 * the documentation page, `GET /v1/testing/cards` and the tests all read it, so that they cannot differ. Any other Luhn-valid number
 * is approved; any future expiry and any cvc are accepted.
 */
import type { DeclineCode } from '../../shared/domain/decline-codes.js';
import { responseCodes } from '../../shared/domain/response-codes.js';

/** Outcome of a card or an amount. What the processor does for each is in `scripts/sandbox/simulator/behaviours.ts`. */
export const testOutcomes = [
  'approved',
  'declined',
  'authentication-required',
  'threeds-challenge',
  'threeds-frictionless',
  'threeds-challenge-then-declined',
  'threeds-lookup-error',
  'refund-pending',
  'refund-fails-later',
  'capture-denied',
  'cancellation-refused',
  'late-answer',
  'no-answer-but-approved',
  'no-answer-nothing-done',
  'connection-refused',
  'answered-twice',
  'short-hold',
  'later-charges-declined',
  'verification-refused',
  'partial-approval',
  'expiry-updated',
] as const;
export type TestOutcome = (typeof testOutcomes)[number];

export type TestBrand = 'visa' | 'mastercard' | 'amex' | 'discover' | 'diners';

export interface TestCard {
  /** Stable name, also in the simulator's books, which never have the number. */
  readonly id: string;
  readonly number: string;
  readonly brand: TestBrand;
  readonly outcome: TestOutcome;
  /** ISO 8583 response code of the operation that the outcome is about. */
  readonly isoCode: string;
  readonly declineCode?: DeclineCode;
  readonly cardType: 'credit' | 'debit' | 'prepaid';
  readonly cardOrigin: 'uruguay' | 'international';
  /** Issuer's country, ISO 3166-1 alpha-2. */
  readonly country: string;
  /** Set when the issuer inspects the browser first (3DS method): whether it reports the end of the inspection, or never does. */
  readonly threeDsMethod?: 'answers' | 'silent';
  readonly description: string;
}

type Particulars = Partial<Omit<TestCard, 'id' | 'number' | 'description'>>;

/** Builds a card like most others: Visa, credit, issued abroad, approved. `particulars` has the differences. */
const card = (id: string, number: string, description: string, particulars: Particulars = {}): TestCard => ({
  id,
  number,
  brand: 'visa',
  outcome: 'approved',
  isoCode: responseCodes.approved,
  cardType: 'credit',
  cardOrigin: 'international',
  country: 'US',
  ...particulars,
  description,
});

export const testCards: readonly TestCard[] = [
  card('visa', '4242424242424242', 'Approved.'),
  card('visa-2', '4111111111111111', 'Approved.'),
  card('mastercard', '5555555555554444', 'Approved.', { brand: 'mastercard' }),
  card('amex', '378282246310005', 'Approved. The cvc has 4 digits.', { brand: 'amex' }),
  card('discover', '6011111111111117', 'Approved.', { brand: 'discover' }),
  card('diners', '38000000000006', 'Approved. The number has 14 digits.', { brand: 'diners' }),
  card('uruguay', '4507990000004905', 'Approved; issued in Uruguay.', { cardOrigin: 'uruguay', country: 'UY' }),
  card('debit', '4000056655665556', 'Approved; a debit card.', { cardType: 'debit' }),
  card('prepaid', '4000160000000004', 'Approved; a prepaid card.', { cardType: 'prepaid' }),
  card('generic-decline', '4000000000000002', 'Declined without a reason.', {
    outcome: 'declined',
    isoCode: responseCodes.doNotHonor,
    declineCode: 'generic_decline',
  }),
  card('insufficient-funds', '4000000000009995', 'Declined: insufficient funds.', {
    outcome: 'declined',
    isoCode: responseCodes.insufficientFunds,
    declineCode: 'insufficient_funds',
  }),
  card('lost-card', '4000000000009987', 'Declined: reported lost.', {
    outcome: 'declined',
    isoCode: responseCodes.lostCard,
    declineCode: 'lost_card',
  }),
  card('stolen-card', '4000000000009979', 'Declined: reported stolen.', {
    outcome: 'declined',
    isoCode: responseCodes.stolenCard,
    declineCode: 'stolen_card',
  }),
  card('expired-card', '4000000000000069', 'Declined: the issuer says that the card has expired.', {
    outcome: 'declined',
    isoCode: responseCodes.expiredCard,
    declineCode: 'expired_card',
  }),
  card('incorrect-cvc', '4000000000000127', 'Declined: the issuer says that the cvc is wrong.', {
    outcome: 'declined',
    isoCode: responseCodes.cvcFailure,
    declineCode: 'incorrect_cvc',
  }),
  card('processing-error', '4000000000000119', "Declined: an error in the acquirer's system.", {
    outcome: 'declined',
    isoCode: responseCodes.systemMalfunction,
    declineCode: 'processing_error',
  }),
  card('velocity-exceeded', '4000000000006975', 'Declined: used too often.', {
    outcome: 'declined',
    isoCode: responseCodes.exceedsFrequencyLimit,
    declineCode: 'velocity_exceeded',
  }),
  card('threeds-challenge', '4000002500003155', '3DS challenge when 3DS is on for the method, then approved.', {
    outcome: 'threeds-challenge',
  }),
  card(
    'threeds-challenge-2',
    '4000002760003184',
    '3DS challenge when 3DS is on for the method, then approved. At the checkout the issuer looks at the browser first (3DS method).',
    { outcome: 'threeds-challenge', threeDsMethod: 'answers' },
  ),
  card(
    'threeds-challenge-3',
    '4000000000003220',
    '3DS challenge when 3DS is on for the method, then approved. At the checkout a 3DS method that never ends comes first.',
    { outcome: 'threeds-challenge', threeDsMethod: 'silent' },
  ),
  card(
    'threeds-frictionless',
    '4000000000100141',
    '3DS without a challenge, then approved. At the checkout the issuer looks at the browser first (3DS method).',
    { outcome: 'threeds-frictionless', threeDsMethod: 'answers' },
  ),
  card(
    'threeds-then-insufficient-funds',
    '4000008260003178',
    '3DS challenge succeeds, then declined: insufficient funds.',
    {
      outcome: 'threeds-challenge-then-declined',
      isoCode: responseCodes.insufficientFunds,
      declineCode: 'insufficient_funds',
    },
  ),
  card('threeds-then-generic-decline', '4000008400001629', '3DS challenge succeeds, then declined without a reason.', {
    outcome: 'threeds-challenge-then-declined',
    isoCode: responseCodes.doNotHonor,
    declineCode: 'generic_decline',
  }),
  card(
    'threeds-lookup-error',
    '4000008400001280',
    '3DS lookup fails: `422 authentication-failed`. Approved when 3DS is off.',
    { outcome: 'threeds-lookup-error' },
  ),
  card('authentication-required', '4000000000100018', 'Soft decline: `422 authentication-required`.', {
    outcome: 'authentication-required',
    isoCode: responseCodes.authenticationRequired,
    declineCode: 'authentication_required',
  }),
  card(
    'refund-pending',
    '4000000000007726',
    'Approved; a refund is pending at first. The processor approves it after 3 seconds, the gateway learns of it within a minute.',
    {
      outcome: 'refund-pending',
    },
  ),
  card(
    'refund-fails-later',
    '4000000000005126',
    "Approved; a refund is approved at first and fails in the processor's books after 3 seconds.",
    { outcome: 'refund-fails-later' },
  ),
  card('capture-denied', '4000000000100026', 'Authorized; the capture is denied.', {
    outcome: 'capture-denied',
    isoCode: responseCodes.doNotHonor,
    declineCode: 'capture_denied',
  }),
  card('cancellation-refused', '4000000000100034', 'Authorized; the cancellation is refused.', {
    outcome: 'cancellation-refused',
    isoCode: responseCodes.doNotHonor,
    declineCode: 'cancellation_refused',
  }),
  card('late-answer', '4000000000100042', 'The processor answers after 20 seconds: approved.', {
    outcome: 'late-answer',
  }),
  card('no-answer-but-approved', '4000000000100059', 'The processor never answers; asked later, it says approved.', {
    outcome: 'no-answer-but-approved',
  }),
  card(
    'no-answer-nothing-done',
    '4000000000100067',
    'The processor never answers; asked later, it knows nothing of it.',
    { outcome: 'no-answer-nothing-done' },
  ),
  card('connection-refused', '4000000000100075', 'No connection to the processor: `422 acquirer-offline`.', {
    outcome: 'connection-refused',
    isoCode: responseCodes.issuerInoperative,
  }),
  card(
    'answered-twice',
    '4000000000100091',
    'Approved, and the processor sends the same answer twice: announced once.',
    { outcome: 'answered-twice' },
  ),
  card('short-hold', '4000000000100117', 'Authorized; the hold expires after 1 minute.', { outcome: 'short-hold' }),
  card(
    'later-charges-declined',
    '4000000000100125',
    'The first payment (with cvc) is approved; later charges of the saved card are declined.',
    { outcome: 'later-charges-declined', isoCode: responseCodes.doNotHonor, declineCode: 'generic_decline' },
  ),
  card(
    'verification-refused',
    '4000000000100133',
    'A verification is refused: `422 funds-verification-failed`. A payment is approved.',
    { outcome: 'verification-refused', isoCode: responseCodes.doNotHonor, declineCode: 'generic_decline' },
  ),
  card(
    'partial-approval',
    '4000000000100158',
    'Half of the amount is approved: taken with `allowPartialApproval`, else reversed and declined.',
    { outcome: 'partial-approval', isoCode: responseCodes.partialApproval, declineCode: 'partial_approval' },
  ),
  card(
    'expiry-updated',
    '4000000000100166',
    'Approved, and the issuer says that the card has another expiry by now: 12/2039.',
    { outcome: 'expiry-updated' },
  ),
];
