/**
 * Amounts with a prepared outcome, in addition to the card numbers of `test-cards.ts`: for saved tokens, wallets and links, where the
 * card cannot be chosen freely. When the card number has an outcome too, the card number decides.
 */
import type { DeclineCode } from '../../shared/domain/decline-codes.js';
import { responseCodes } from '../../shared/domain/response-codes.js';
import type { TestOutcome } from './test-cards.js';

export interface TestAmount {
  /** 9000.00 to 9000.99 of a currency with two decimals: the cents are the ISO 8583 response code. */
  readonly amount: string;
  readonly amountMinor: number;
  readonly outcome: TestOutcome;
  readonly isoCode: string;
  readonly declineCode?: DeclineCode;
  readonly description: string;
}

/** Amounts from 9000.00 to 9000.99 that are not listed are approved. */
const AMOUNT_BASE_MINOR = 900_000;

type Row = readonly [cents: string, outcome: TestOutcome, declineCode: DeclineCode | null, description: string];

const rows: readonly Row[] = [
  ['05', 'declined', 'generic_decline', 'Declined without a reason.'],
  ['14', 'declined', 'incorrect_number', 'Declined: no such card at the issuer.'],
  ['51', 'declined', 'insufficient_funds', 'Declined: insufficient funds.'],
  ['54', 'declined', 'expired_card', 'Declined: the card has expired.'],
  ['57', 'declined', 'transaction_not_allowed', 'Declined: the cardholder may not do this.'],
  ['61', 'declined', 'amount_limit_exceeded', 'Declined: over the limit of the card.'],
  ['65', 'authentication-required', 'authentication_required', 'Soft decline: `422 authentication-required`.'],
  ['68', 'late-answer', null, 'The processor answers after 20 seconds: approved.'],
  ['91', 'connection-refused', null, 'No connection to the processor: `422 acquirer-offline`.'],
  ['96', 'declined', 'processing_error', "Declined: an error in the acquirer's system."],
];

export const testAmounts: readonly TestAmount[] = rows.map(([cents, outcome, declineCode, description]) => ({
  amount: `9000.${cents}`,
  amountMinor: AMOUNT_BASE_MINOR + Number(cents),
  outcome,
  isoCode: outcome === 'late-answer' ? responseCodes.approved : cents,
  ...(declineCode !== null && { declineCode }),
  description,
}));

export type QrOutcome = 'paid' | 'rejected' | 'never-paid' | 'paid-after-expiry' | 'paid-twice';

/**
 * Amounts of a bank transfer by QR with a prepared outcome. Any other transfer waits for the simulated bank page or the
 * operator's command.
 */
export interface TestQrAmount {
  readonly amount: string;
  readonly amountMinor: number;
  readonly outcome: QrOutcome;
  readonly description: string;
}

export const testQrAmounts: readonly TestQrAmount[] = [
  { amount: '9100.00', amountMinor: 910_000, outcome: 'paid', description: 'Paid after 5 seconds.' },
  {
    amount: '9100.01',
    amountMinor: 910_001,
    outcome: 'rejected',
    description: 'Refused: `422 declined-by-acquirer`, `transfer_not_allowed`.',
  },
  { amount: '9100.02', amountMinor: 910_002, outcome: 'never-paid', description: 'Never paid: it expires.' },
  {
    amount: '9100.03',
    amountMinor: 910_003,
    outcome: 'paid-after-expiry',
    description: 'Paid 5 seconds after it expired: the money is flagged for refund.',
  },
  {
    amount: '9100.04',
    amountMinor: 910_004,
    outcome: 'paid-twice',
    description: 'Paid after 5 seconds and again after 8: the second is flagged for refund.',
  },
];
