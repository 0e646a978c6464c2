/** What stories are about: the requests and the behaviour of the others. Everything else is the same in all stories. */

import type { CallerOperation } from '../../shared/domain/payment/plan-operation.js';
import type { PaymentStatus } from '../../shared/domain/payment/statuses.js';
import type { ProcessorCode } from '../../shared/processors/capabilities.js';
import type { cards } from './simulated-processor.js';
import type { UpdateStyle } from './simulated-updates.js';

type CardName = keyof typeof cards;

/** What a payer does on the issuer's page. */
export type ChallengeResponse = 'passes' | 'refuses' | 'leaves' | 'passes-and-closes' | 'passes-late';

export interface PayStep {
  readonly pay: CardName;
  /** Authorized only, and captured by hand or after this time (s). */
  readonly capture?: 'manual' | number;
  /** The card is saved with the payment. */
  readonly save?: boolean;
  /** Account verification. */
  readonly verify?: boolean;
  readonly issuer?: ChallengeResponse;
  /** The merchant accepts an approval for a part of the amount. */
  readonly takesPart?: boolean;
  /** The merchant gets callbacks. */
  readonly callback?: boolean;
  /** How many times the request is sent at once under one Idempotency-Key, to API processes in turn. */
  readonly sameKeyRequests?: number;
}

export interface OperateStep {
  readonly operate: CallerOperation;
  readonly amount?: string;
}

/** A person operates on the payment at the acquirer, without the gateway. */
export interface ByHandStep {
  readonly byHand: 'capture' | 'cancel' | 'refund';
  /** Absent: the whole amount. */
  readonly amountMinor?: number;
}

export interface TransferStep {
  readonly transfer: true;
  readonly callback?: boolean;
  /** Actions of payer, bank and merchant. `atMs`: time since the payment was accepted. */
  readonly actions: readonly { readonly atMs: number; readonly action: 'pays' | 'rejects' | 'merchant-cancels' }[];
}

export interface SessionStep {
  readonly session: 'checkout' | 'tokenization';
  /** Cards of the payer's tries, one after another. */
  readonly tries: readonly CardName[];
  /** The tokenization verifies its card by a payment. */
  readonly verifies?: boolean;
  /** The payer cancels the session in another tab at the same time. */
  readonly cancels?: boolean;
}

export interface LinkStep {
  /** Cards of payers who open a one-time link at the same time. */
  readonly payers: readonly CardName[];
  /** The merchant disables the link at the same time. */
  readonly disables?: boolean;
  /** When the link expires (ms after its creation). */
  readonly validMs?: number;
}

export type Step =
  | PayStep
  | OperateStep
  | ByHandStep
  | TransferStep
  | SessionStep
  | LinkStep
  | { readonly atOnce: readonly Step[] };

export interface Scenario {
  readonly steps: readonly Step[];
  /** Statuses of the payments at the end of the undisturbed story. */
  readonly expectedStatuses: readonly PaymentStatus[];
  /** Processor with the traits of its capability table (`sandbox`: dedupes and tombstones; `sandbox-forgetful`: neither). */
  readonly processor?: ProcessorCode;
  /** Acquirers in order of preference. The first one declines softly, or is unreachable. */
  readonly routes?: 'soft-decline' | 'first-unreachable';
  /** The payers are authenticated. */
  readonly threeDs?: 'challenge' | 'frictionless';
  /** Callers use two API processes in turn. Otherwise they use one as long as it lives. */
  readonly twoApis?: boolean;
  /** The acquirer sends updates by itself. */
  readonly updates?: UpdateStyle;
  /** Persons operate at the acquirer, which declines what does not fit its books. */
  readonly byHand?: boolean;
  /** Redis is unreachable. */
  readonly noRedis?: boolean;
  /** The receiver answers this many of the first callbacks with 500. */
  readonly failedCallbacks?: number;
  /** The bank returns refunds this long after their approval (ms). */
  readonly refundsReturnAfterMs?: number;
  /** The story goes on until then (ms), even if nothing is left to do at once. */
  readonly minDurationMs?: number;
}

const HOUR_MS = 3_600_000;
const authorizeOnly: PayStep = { pay: 'good', capture: 'manual' };
const refund = (amount?: string): OperateStep => ({ operate: 'refund', ...(amount && { amount }) });

export const scenarios = {
  purchase: { expectedStatuses: ['approved'], steps: [{ pay: 'good' }] },
  'purchase, not deduped': { expectedStatuses: ['approved'], processor: 'sandbox-forgetful', steps: [{ pay: 'good' }] },
  'purchase, tombstones only': {
    expectedStatuses: ['approved'],
    processor: 'sandbox-lagging',
    steps: [{ pay: 'good' }],
  },
  'purchase, declined': { expectedStatuses: ['denied'], steps: [{ pay: 'declined', callback: true }] },
  'purchase without Redis': { expectedStatuses: ['approved'], noRedis: true, steps: [{ pay: 'good' }] },
  'two purchases at once': {
    expectedStatuses: ['approved', 'approved'],
    processor: 'sandbox-forgetful',
    steps: [{ atOnce: [{ pay: 'good' }, { pay: 'good' }] }],
  },
  'one key twice at once': {
    expectedStatuses: ['approved'],
    twoApis: true,
    steps: [{ pay: 'good', sameKeyRequests: 2 }],
  },
  'capture by hand': { expectedStatuses: ['approved'], steps: [authorizeOnly, { operate: 'capture' }] },
  'capture by hand, not deduped': {
    expectedStatuses: ['approved'],
    processor: 'sandbox-forgetful',
    steps: [authorizeOnly, { operate: 'capture' }],
  },
  'partial capture': { expectedStatuses: ['approved'], steps: [authorizeOnly, { operate: 'capture', amount: '7.00' }] },
  cancellation: { expectedStatuses: ['cancelled'], steps: [authorizeOnly, { operate: 'cancellation' }] },
  'capture against cancellation': {
    expectedStatuses: ['approved'],
    twoApis: true,
    steps: [authorizeOnly, { atOnce: [{ operate: 'capture' }, { operate: 'cancellation' }] }],
  },
  'refund in two parts': { expectedStatuses: ['refunded'], steps: [{ pay: 'good' }, refund('4.00'), refund()] },
  'two refunds at once': {
    expectedStatuses: ['partially-refunded'],
    steps: [{ pay: 'good' }, { atOnce: [refund('6.00'), refund('6.00')] }],
  },
  'two refunds that fit, not deduped': {
    expectedStatuses: ['refunded'],
    processor: 'sandbox-forgetful',
    twoApis: true,
    steps: [{ pay: 'good' }, { atOnce: [refund('5.00'), refund('5.50')] }],
  },
  'refund returned by the bank': {
    expectedStatuses: ['approved'],
    refundsReturnAfterMs: 60_000,
    minDurationMs: 2 * HOUR_MS,
    steps: [{ pay: 'good', callback: true }, refund()],
  },
  'refunds in parts, returned': {
    expectedStatuses: ['approved'],
    refundsReturnAfterMs: 60_000,
    minDurationMs: 2 * HOUR_MS,
    steps: [{ pay: 'good' }, refund('4.00'), refund('3.00')],
  },
  'refunds of all in parts, returned': {
    expectedStatuses: ['approved'],
    refundsReturnAfterMs: 60_000,
    minDurationMs: 2 * HOUR_MS,
    steps: [{ pay: 'good' }, refund('4.00'), refund()],
  },
  'part of the amount, not wanted': { expectedStatuses: ['denied'], steps: [{ pay: 'part' }] },
  'part of the amount, not wanted, not deduped': {
    expectedStatuses: ['denied'],
    processor: 'sandbox-forgetful',
    updates: 'outcomes',
    steps: [{ pay: 'part' }],
  },
  'part of the amount, captured and refunded': {
    expectedStatuses: ['refunded'],
    updates: 'changes',
    steps: [{ pay: 'part', takesPart: true, capture: 'manual' }, { operate: 'capture' }, refund('3.00'), refund()],
  },
  'purchase, updated, not deduped': {
    expectedStatuses: ['approved'],
    processor: 'sandbox-forgetful',
    updates: 'outcomes',
    steps: [{ pay: 'good', callback: true }],
  },
  'purchase, updated': { expectedStatuses: ['approved'], updates: 'changes', steps: [{ pay: 'good' }] },
  'purchase, updated, tombstones only': {
    expectedStatuses: ['approved'],
    processor: 'sandbox-lagging',
    updates: 'outcomes',
    steps: [{ pay: 'good' }],
  },
  'purchase, declined, updated': {
    expectedStatuses: ['denied'],
    processor: 'sandbox-forgetful',
    updates: 'outcomes',
    steps: [{ pay: 'declined' }],
  },
  'capture by hand, updated, not deduped': {
    expectedStatuses: ['approved'],
    processor: 'sandbox-forgetful',
    updates: 'outcomes',
    steps: [authorizeOnly, { operate: 'capture' }],
  },
  'cancellation, updated': {
    expectedStatuses: ['cancelled'],
    updates: 'changes',
    steps: [authorizeOnly, { operate: 'cancellation' }],
  },
  'two refunds, updated, not deduped': {
    expectedStatuses: ['refunded'],
    processor: 'sandbox-forgetful',
    updates: 'outcomes',
    twoApis: true,
    steps: [{ pay: 'good' }, { atOnce: [refund('5.00'), refund('5.50')] }],
  },
  'refunds in parts, returned, updated': {
    expectedStatuses: ['approved'],
    updates: 'outcomes',
    refundsReturnAfterMs: 3_000,
    minDurationMs: 2 * HOUR_MS,
    steps: [{ pay: 'good' }, refund('4.00'), refund()],
  },
  'routed around a soft decline, updated': {
    expectedStatuses: ['approved'],
    routes: 'soft-decline',
    processor: 'sandbox-forgetful',
    updates: 'outcomes',
    steps: [{ pay: 'soft', capture: 'manual' }, { operate: 'capture' }],
  },
  'refund against a refund at the acquirer': {
    expectedStatuses: ['refunded'],
    byHand: true,
    updates: 'changes',
    steps: [{ pay: 'good' }, { atOnce: [refund('6.00'), { byHand: 'refund', amountMinor: 450 }] }],
  },
  'refund of all against a refund at the acquirer': {
    expectedStatuses: ['refunded'],
    byHand: true,
    updates: 'changes',
    processor: 'sandbox-forgetful',
    steps: [{ pay: 'good' }, { atOnce: [refund(), { byHand: 'refund' }] }],
  },
  'capture against a capture at the acquirer': {
    expectedStatuses: ['approved'],
    byHand: true,
    updates: 'changes',
    processor: 'sandbox-forgetful',
    steps: [authorizeOnly, { atOnce: [{ operate: 'capture' }, { byHand: 'capture' }] }],
  },
  'capture against a cancellation at the acquirer': {
    expectedStatuses: ['cancelled'],
    byHand: true,
    updates: 'changes',
    steps: [authorizeOnly, { atOnce: [{ operate: 'capture' }, { byHand: 'cancel' }] }],
  },
  'delayed capture against a cancellation at the acquirer': {
    expectedStatuses: ['cancelled'],
    byHand: true,
    updates: 'changes',
    minDurationMs: 120_000,
    steps: [{ pay: 'good', capture: 1 }, { byHand: 'cancel' }],
  },
  verification: { expectedStatuses: ['cancelled'], steps: [{ pay: 'good', verify: true }] },
  'delayed capture': {
    expectedStatuses: ['approved'],
    minDurationMs: 120_000,
    steps: [{ pay: 'good', capture: 60, callback: true }],
    failedCallbacks: 1,
  },
  'delayed capture against cancellation': {
    expectedStatuses: ['cancelled'],
    minDurationMs: 120_000,
    steps: [{ pay: 'good', capture: 1 }, { operate: 'cancellation' }],
  },
  'hold that runs out': { expectedStatuses: ['expired'], minDurationMs: 8 * 24 * HOUR_MS, steps: [authorizeOnly] },
  'routed, approved by the first': { expectedStatuses: ['approved'], routes: 'soft-decline', steps: [{ pay: 'good' }] },
  'routed around a soft decline': { expectedStatuses: ['approved'], routes: 'soft-decline', steps: [{ pay: 'soft' }] },
  'routed around an acquirer that is away': {
    expectedStatuses: ['approved'],
    routes: 'first-unreachable',
    steps: [authorizeOnly, { operate: 'capture' }],
  },
  '3DS, approved': { expectedStatuses: ['approved'], threeDs: 'challenge', steps: [{ pay: 'good', issuer: 'passes' }] },
  '3DS, refused': { expectedStatuses: ['denied'], threeDs: 'challenge', steps: [{ pay: 'good', issuer: 'refuses' }] },
  '3DS, frictionless': { expectedStatuses: ['approved'], threeDs: 'frictionless', steps: [{ pay: 'good' }] },
  '3DS, window closed': {
    expectedStatuses: ['approved'],
    threeDs: 'challenge',
    steps: [{ pay: 'good', issuer: 'passes-and-closes' }],
  },
  '3DS, abandoned': {
    expectedStatuses: ['failed'],
    threeDs: 'challenge',
    steps: [{ pay: 'good', issuer: 'leaves', callback: true }],
  },
  '3DS, late': { expectedStatuses: ['failed'], threeDs: 'challenge', steps: [{ pay: 'good', issuer: 'passes-late' }] },
  'transfer, paid': {
    expectedStatuses: ['approved'],
    steps: [{ transfer: true, callback: true, actions: [{ atMs: 3_000, action: 'pays' }] }],
  },
  'transfer, expired': { expectedStatuses: ['expired'], steps: [{ transfer: true, callback: true, actions: [] }] },
  'transfer, paid at its end': {
    expectedStatuses: ['approved'],
    steps: [{ transfer: true, actions: [{ atMs: 7_990, action: 'pays' }] }],
  },
  'transfer, paid late': {
    expectedStatuses: ['expired'],
    minDurationMs: 60_000,
    steps: [{ transfer: true, callback: true, actions: [{ atMs: 12_000, action: 'pays' }] }],
  },
  'transfer, paid twice': {
    expectedStatuses: ['approved'],
    minDurationMs: 60_000,
    failedCallbacks: 1,
    steps: [
      {
        ...{ transfer: true, callback: true },
        actions: [
          { atMs: 2_000, action: 'pays' },
          { atMs: 6_000, action: 'pays' },
        ],
      },
    ],
  },
  'transfer, rejected': {
    expectedStatuses: ['denied'],
    steps: [{ transfer: true, actions: [{ atMs: 3_000, action: 'rejects' }] }],
  },
  'transfer, cancelled': {
    expectedStatuses: ['cancelled'],
    steps: [{ transfer: true, actions: [{ atMs: 3_000, action: 'merchant-cancels' }] }],
  },
  'transfer, paid against cancelled': {
    expectedStatuses: ['cancelled'],
    steps: [
      {
        transfer: true,
        actions: [
          { atMs: 3_000, action: 'pays' },
          { atMs: 3_000, action: 'merchant-cancels' },
        ],
      },
    ],
  },
  'transfer, paid and cancelled': {
    expectedStatuses: ['cancelled'],
    steps: [
      {
        transfer: true,
        actions: [
          { atMs: 2_000, action: 'pays' },
          { atMs: 9_000, action: 'merchant-cancels' },
        ],
      },
    ],
  },
  'checkout, declined then approved': {
    expectedStatuses: ['denied', 'approved'],
    steps: [{ session: 'checkout', tries: ['declined', 'good'] }],
  },
  'checkout whose receiver fails once': {
    expectedStatuses: ['approved'],
    failedCallbacks: 1,
    steps: [{ session: 'checkout', tries: ['good'] }],
  },
  'checkout, paid against cancelled': {
    expectedStatuses: ['approved'],
    twoApis: true,
    steps: [{ session: 'checkout', tries: ['good'], cancels: true }],
  },
  'verification against the cancellation of its session': {
    expectedStatuses: ['cancelled'],
    twoApis: true,
    steps: [{ session: 'tokenization', verifies: true, tries: ['good'], cancels: true }],
  },
  'one-time link, paid against disabled': {
    expectedStatuses: ['approved'],
    twoApis: true,
    steps: [{ payers: ['good', 'good'], disables: true }],
  },
  'one-time link, paid while it expires': {
    expectedStatuses: ['approved'],
    twoApis: true,
    steps: [{ payers: ['good', 'good'], validMs: 300 }],
  },
  'one-time link, three payers': {
    expectedStatuses: ['approved'],
    twoApis: true,
    steps: [{ payers: ['good', 'good', 'good'] }],
  },
  'one-time link, one payer declined': {
    expectedStatuses: ['denied', 'approved'],
    twoApis: true,
    steps: [{ payers: ['declined', 'good'] }],
  },
  'purchase that saves its card': {
    expectedStatuses: ['approved'],
    steps: [{ pay: 'good', save: true, callback: true }],
  },
  'tokenization at once': { expectedStatuses: [], steps: [{ session: 'tokenization', tries: ['good'] }] },
  'tokenization by a verification': {
    expectedStatuses: ['denied', 'cancelled'],
    steps: [{ session: 'tokenization', verifies: true, tries: ['declined', 'good'] }],
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as ScenarioName[];
