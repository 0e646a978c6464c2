/** What stories are about: the requests and the behaviour of the others. Everything else is the same in all stories. */

import type { CallerOperation } from '../../shared/domain/payment/plan-operation.js';
import type { PaymentStatus } from '../../shared/domain/payment/statuses.js';
import type { ProcessorCode } from '../../shared/processors/capabilities.js';
import type { cards } from './simulated-processor.js';

type CardName = keyof typeof cards;

/** What a payer does on the issuer's page. */
export type AtIssuer = 'passes' | 'refuses' | 'leaves' | 'passes-and-closes' | 'passes-late';

export interface PayStep {
  readonly pay: CardName;
  /** Authorized only, and captured by hand or after this time (s). */
  readonly hold?: 'by-hand' | number;
  /** The card is saved with the payment. */
  readonly save?: boolean;
  /** Account verification. */
  readonly verify?: boolean;
  readonly issuer?: AtIssuer;
  /** The merchant gets callbacks. */
  readonly callback?: boolean;
  /** How many times the request is sent at once under one Idempotency-Key, to API processes in turn. */
  readonly underOneKey?: number;
}

export interface OperateStep {
  readonly operate: CallerOperation;
  readonly amount?: string;
}

export interface TransferStep {
  readonly transfer: true;
  readonly callback?: boolean;
  /** Actions of payer, bank and merchant. `atMs`: time since the payment was accepted. */
  readonly deeds: readonly { readonly atMs: number; readonly does: 'pays' | 'rejects' | 'merchant-cancels' }[];
}

export interface SessionStep {
  readonly session: 'checkout' | 'tokenization';
  /** Cards of the payer's tries, one after another. */
  readonly tries: readonly CardName[];
  /** The tokenization verifies its card by a payment. */
  readonly verifies?: boolean;
}

export interface LinkStep {
  /** Cards of payers who open a one-time link at the same time. */
  readonly payers: readonly CardName[];
}

export type Step = PayStep | OperateStep | TransferStep | SessionStep | LinkStep | { readonly atOnce: readonly Step[] };

export interface Scenario {
  readonly steps: readonly Step[];
  /** Statuses of the payments at the end of the undisturbed story. */
  readonly ends: readonly PaymentStatus[];
  /** Processor with the traits of its capability table (`sandbox`: dedupes and tombstones; `sandbox-forgetful`: neither). */
  readonly processor?: ProcessorCode;
  /** Acquirers in order of preference. The first one declines softly, or is unreachable. */
  readonly routes?: 'soft-decline' | 'first-is-away';
  /** The payers are authenticated. */
  readonly threeDs?: 'challenge' | 'frictionless';
  /** Callers use two API processes in turn. Otherwise they use one as long as it lives. */
  readonly twoApis?: boolean;
  /** Redis is unreachable. */
  readonly noRedis?: boolean;
  /** The receiver answers this many of the first callbacks with 500. */
  readonly receiverFails?: number;
  /** The bank returns refunds this long after their approval (ms). */
  readonly refundsReturnAfterMs?: number;
  /** The story goes on until then (ms), even if nothing is left to do at once. */
  readonly untilMs?: number;
}

const HOUR_MS = 3_600_000;
const hold: PayStep = { pay: 'good', hold: 'by-hand' };
const refund = (amount?: string): OperateStep => ({ operate: 'refund', ...(amount && { amount }) });

export const scenarios = {
  purchase: { ends: ['approved'], steps: [{ pay: 'good' }] },
  'purchase, not deduped': { ends: ['approved'], processor: 'sandbox-forgetful', steps: [{ pay: 'good' }] },
  'purchase, tombstones only': { ends: ['approved'], processor: 'sandbox-lagging', steps: [{ pay: 'good' }] },
  'purchase, declined': { ends: ['denied'], steps: [{ pay: 'declined', callback: true }] },
  'purchase without Redis': { ends: ['approved'], noRedis: true, steps: [{ pay: 'good' }] },
  'two purchases at once': {
    ends: ['approved', 'approved'],
    processor: 'sandbox-forgetful',
    steps: [{ atOnce: [{ pay: 'good' }, { pay: 'good' }] }],
  },
  'one key twice at once': { ends: ['approved'], twoApis: true, steps: [{ pay: 'good', underOneKey: 2 }] },
  'capture by hand': { ends: ['approved'], steps: [hold, { operate: 'capture' }] },
  'capture by hand, not deduped': {
    ends: ['approved'],
    processor: 'sandbox-forgetful',
    steps: [hold, { operate: 'capture' }],
  },
  'partial capture': { ends: ['approved'], steps: [hold, { operate: 'capture', amount: '7.00' }] },
  cancellation: { ends: ['cancelled'], steps: [hold, { operate: 'cancellation' }] },
  'capture against cancellation': {
    ends: ['approved'],
    twoApis: true,
    steps: [hold, { atOnce: [{ operate: 'capture' }, { operate: 'cancellation' }] }],
  },
  'refund in two parts': { ends: ['refunded'], steps: [{ pay: 'good' }, refund('4.00'), refund()] },
  'two refunds at once': {
    ends: ['partially-refunded'],
    steps: [{ pay: 'good' }, { atOnce: [refund('6.00'), refund('6.00')] }],
  },
  'two refunds that fit, not deduped': {
    ends: ['refunded'],
    processor: 'sandbox-forgetful',
    twoApis: true,
    steps: [{ pay: 'good' }, { atOnce: [refund('5.00'), refund('5.50')] }],
  },
  'refund returned by the bank': {
    ends: ['approved'],
    refundsReturnAfterMs: 60_000,
    untilMs: 2 * HOUR_MS,
    steps: [{ pay: 'good', callback: true }, refund()],
  },
  'refunds in parts, returned': {
    ends: ['approved'],
    refundsReturnAfterMs: 60_000,
    untilMs: 2 * HOUR_MS,
    steps: [{ pay: 'good' }, refund('4.00'), refund('3.00')],
  },
  'refunds of all in parts, returned': {
    ends: ['approved'],
    refundsReturnAfterMs: 60_000,
    untilMs: 2 * HOUR_MS,
    steps: [{ pay: 'good' }, refund('4.00'), refund()],
  },
  verification: { ends: ['cancelled'], steps: [{ pay: 'good', verify: true }] },
  'delayed capture': {
    ends: ['approved'],
    untilMs: 120_000,
    steps: [{ pay: 'good', hold: 60, callback: true }],
    receiverFails: 1,
  },
  'delayed capture against cancellation': {
    ends: ['cancelled'],
    untilMs: 120_000,
    steps: [{ pay: 'good', hold: 1 }, { operate: 'cancellation' }],
  },
  'hold that runs out': { ends: ['expired'], untilMs: 8 * 24 * HOUR_MS, steps: [hold] },
  'routed, approved by the first': { ends: ['approved'], routes: 'soft-decline', steps: [{ pay: 'good' }] },
  'routed around a soft decline': { ends: ['approved'], routes: 'soft-decline', steps: [{ pay: 'soft' }] },
  'routed around an acquirer that is away': {
    ends: ['approved'],
    routes: 'first-is-away',
    steps: [hold, { operate: 'capture' }],
  },
  '3DS, approved': { ends: ['approved'], threeDs: 'challenge', steps: [{ pay: 'good', issuer: 'passes' }] },
  '3DS, refused': { ends: ['denied'], threeDs: 'challenge', steps: [{ pay: 'good', issuer: 'refuses' }] },
  '3DS, frictionless': { ends: ['approved'], threeDs: 'frictionless', steps: [{ pay: 'good' }] },
  '3DS, window closed': {
    ends: ['approved'],
    threeDs: 'challenge',
    steps: [{ pay: 'good', issuer: 'passes-and-closes' }],
  },
  '3DS, abandoned': {
    ends: ['failed'],
    threeDs: 'challenge',
    steps: [{ pay: 'good', issuer: 'leaves', callback: true }],
  },
  '3DS, late': { ends: ['failed'], threeDs: 'challenge', steps: [{ pay: 'good', issuer: 'passes-late' }] },
  'transfer, paid': {
    ends: ['approved'],
    steps: [{ transfer: true, callback: true, deeds: [{ atMs: 3_000, does: 'pays' }] }],
  },
  'transfer, expired': { ends: ['expired'], steps: [{ transfer: true, callback: true, deeds: [] }] },
  'transfer, paid at its end': {
    ends: ['approved'],
    steps: [{ transfer: true, deeds: [{ atMs: 7_990, does: 'pays' }] }],
  },
  'transfer, paid late': {
    ends: ['expired'],
    untilMs: 60_000,
    steps: [{ transfer: true, callback: true, deeds: [{ atMs: 12_000, does: 'pays' }] }],
  },
  'transfer, paid twice': {
    ends: ['approved'],
    untilMs: 60_000,
    receiverFails: 1,
    steps: [
      {
        ...{ transfer: true, callback: true },
        deeds: [
          { atMs: 2_000, does: 'pays' },
          { atMs: 6_000, does: 'pays' },
        ],
      },
    ],
  },
  'transfer, rejected': { ends: ['denied'], steps: [{ transfer: true, deeds: [{ atMs: 3_000, does: 'rejects' }] }] },
  'transfer, cancelled': {
    ends: ['cancelled'],
    steps: [{ transfer: true, deeds: [{ atMs: 3_000, does: 'merchant-cancels' }] }],
  },
  'transfer, paid against cancelled': {
    ends: ['cancelled'],
    steps: [
      {
        transfer: true,
        deeds: [
          { atMs: 3_000, does: 'pays' },
          { atMs: 3_000, does: 'merchant-cancels' },
        ],
      },
    ],
  },
  'transfer, paid and cancelled': {
    ends: ['cancelled'],
    steps: [
      {
        transfer: true,
        deeds: [
          { atMs: 2_000, does: 'pays' },
          { atMs: 9_000, does: 'merchant-cancels' },
        ],
      },
    ],
  },
  'checkout, declined then approved': {
    ends: ['denied', 'approved'],
    steps: [{ session: 'checkout', tries: ['declined', 'good'] }],
  },
  'checkout whose receiver fails once': {
    ends: ['approved'],
    receiverFails: 1,
    steps: [{ session: 'checkout', tries: ['good'] }],
  },
  'one-time link, three payers': { ends: ['approved'], twoApis: true, steps: [{ payers: ['good', 'good', 'good'] }] },
  'one-time link, one payer declined': {
    ends: ['denied', 'approved'],
    twoApis: true,
    steps: [{ payers: ['declined', 'good'] }],
  },
  'purchase that saves its card': { ends: ['approved'], steps: [{ pay: 'good', save: true, callback: true }] },
  'tokenization at once': { ends: [], steps: [{ session: 'tokenization', tries: ['good'] }] },
  'tokenization by a verification': {
    ends: ['denied', 'cancelled'],
    steps: [{ session: 'tokenization', verifies: true, tries: ['declined', 'good'] }],
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as ScenarioName[];
