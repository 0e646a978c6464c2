/** What payers do during a run: a payment, and what follows it. Each journey is determined by the seed and its number. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Config } from '../../../config/index.js';
import { type Choice, submit } from '../../support/forms.js';
import { answerIssuer } from '../../support/payer.js';
import {
  AUTHENTICATED_FROM,
  approvingCards,
  awkwardAmounts,
  awkwardCards,
  challengeCards,
  challengedOf,
  decliningCards,
  newReference,
  paymentOf,
  transferOf,
  verificationOf,
} from './bodies.js';
import type { Caller, Exchange } from './caller.js';
import type { Random } from './random.js';
import { merchants } from './stack.js';

/** Kinds of journeys by their share of the load (they add up to 100). */
const shares = {
  purchase: 45,
  challenge: 5,
  transfer: 5,
  manual: 10,
  delayed: 5,
  refund: 10,
  cancel: 5,
  verify: 5,
  declined: 5,
  awkward: 5,
} as const;
export type JourneyKind = keyof typeof shares;

export interface JourneyDeps {
  readonly caller: Caller;
  readonly callbackUrls: readonly string[];
  /** Data of the gateway that a payer's browser needs. */
  readonly gateway: { readonly config: Config; readonly urls: readonly string[] };
  /** Processor that charges all cards, of one merchant. Absent: the test processor in its three kinds. */
  readonly cardProcessor?: 'iso8583' | undefined;
}

const SETTLES_WITHIN_MS = 8_000;
const POLL_MS = 400;
const RESOLVE_AFTER_MS = 300;

function chooseKind(random: Random): JourneyKind {
  let left = random.between(1, 100);
  for (const [kind, share] of Object.entries(shares) as [JourneyKind, number][]) {
    left -= share;
    if (left <= 0) return kind;
  }
  return 'purchase';
}

const merchantOf = (random: Random, { cardProcessor }: JourneyDeps): number => {
  const at = random.next();
  if (cardProcessor) return merchants.sandbox;
  if (at < 0.6) return merchants.sandbox;
  return at < 0.8 ? merchants['sandbox-forgetful'] : merchants['sandbox-lagging'];
};

const captureOf: Partial<Record<JourneyKind, Record<string, unknown>>> = {
  manual: { method: 'manual' },
  cancel: { method: 'manual' },
  delayed: { method: 'automatic', delay: 1 },
};

function bodyOf(kind: JourneyKind, random: Random, deps: JourneyDeps): Record<string, unknown> {
  const callback = random.next() < 0.7 && { callbackUrl: random.pick(deps.callbackUrls) };
  if (kind === 'transfer') {
    const total = (random.between(1_00, 499_99) / 100).toFixed(2);
    return transferOf({ merchantId: merchants.sandbox, total, ...callback, metadata: { journey: kind } });
  }
  if (kind === 'challenge') {
    const total = (random.between(AUTHENTICATED_FROM * 100, AUTHENTICATED_FROM * 200) / 100).toFixed(2);
    const merchantId = merchants.sandbox;
    return challengedOf(random.pick(challengeCards), { merchantId, total, ...callback, metadata: { journey: kind } });
  }
  const merchantId = merchantOf(random, deps);
  if (kind === 'verify') return verificationOf(random.pick(approvingCards), merchantId);
  const cards = kind === 'declined' ? decliningCards : kind === 'awkward' ? awkwardCards : approvingCards;
  const card = random.pick(cards);
  const amount = kind === 'awkward' && deps.cardProcessor ? random.pick(awkwardAmounts) : random.between(1_00, 499_99);
  const total = (amount / 100).toFixed(2);
  const currency = random.next() < 0.7 ? 'USD' : 'UYU';
  const capture = captureOf[kind];
  return paymentOf(card, {
    merchantId,
    total,
    currency,
    ...(capture && { capture }),
    ...callback,
    metadata: { journey: kind },
  });
}

/** Sends a request. Resolves an ambiguous result by the reference, as docs/integration.md tells integrators to. */
async function sendOnce(caller: Caller, path: string, body: Record<string, unknown>): Promise<Exchange> {
  const first = await caller.call('POST', path, body);
  if (first.answer) return first;
  await pause(RESOLVE_AFTER_MS);
  return caller.call('POST', path, body);
}

async function settled(caller: Caller, id: string, statuses: readonly string[]): Promise<boolean> {
  const giveUpAt = performance.now() + SETTLES_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    const { answer } = await caller.call('GET', `/v1/payments/${id}`);
    const status = answer?.body?.status;
    if (statuses.includes(status)) return true;
    if (answer?.status === 200 && status !== 'created' && status !== 'pending') return false;
    await pause(POLL_MS);
  }
  return false;
}

async function followUp(kind: JourneyKind, id: string, total: number, random: Random, caller: Caller): Promise<void> {
  const operate = (path: string, more: Record<string, unknown> = {}) =>
    sendOnce(caller, `/v1/payments/${id}/${path}`, { referenceId: newReference(path), ...more });
  await pause(random.between(0, 300));
  if (kind === 'manual') {
    const part = random.next() < 0.3 ? { amount: (total / 2).toFixed(2) } : {};
    await operate('captures', part);
  }
  if (kind === 'cancel') await operate('cancellations', { reason: 'customer-request' });
  if (kind !== 'refund') return;
  if (random.next() < 0.4) await operate('refunds');
  else
    for (let times = random.between(1, 3); times > 0; times -= 1)
      await operate('refunds', { amount: (total / 4).toFixed(2) });
}

const statusBefore: Partial<Record<JourneyKind, readonly string[]>> = {
  manual: ['authorized'],
  cancel: ['authorized'],
  refund: ['approved', 'partially-refunded'],
};

/** Pays the code at the bank as soon as there is a code. */
async function payCode(id: string, caller: Caller): Promise<void> {
  const giveUpAt = performance.now() + SETTLES_WITHIN_MS;
  while (performance.now() < giveUpAt) {
    const { answer } = await caller.call('GET', `/v1/payments/${id}`);
    const url: string | undefined = answer?.body?.code?.url;
    if (url !== undefined) {
      await fetch(url, { method: 'POST', body: new URLSearchParams({ choice: 'pay' }) });
      return;
    }
    if (answer?.status === 200 && !['created', 'pending'].includes(answer.body?.status)) return;
    await pause(POLL_MS);
  }
}

function chooseAtIssuer(random: Random): Choice | undefined {
  const at = random.next();
  if (at < 0.7) return 'approve';
  if (at < 0.8) return 'fail';
  if (at < 0.87) return 'cancel';
  return at < 0.93 ? 'abandon' : undefined;
}

/** Plays the payer at the issuer: answers or does not, returns or closes the window. */
async function answerChallenge(href: string, random: Random, { gateway }: JourneyDeps): Promise<void> {
  const [choice, comesBack] = [chooseAtIssuer(random), random.next() < 0.6];
  await pause(random.between(0, 1_500));
  if (!choice) return;
  try {
    const at = { config: gateway.config, baseUrl: random.pick(gateway.urls) };
    const back = await answerIssuer(at, href, choice);
    if (comesBack) await submit(back.action, back.fields);
  } catch {
    // The API is being killed: the payer sees a broken page and leaves.
  }
}

/** The acquirer takes no bank transfers, so these payers pay by card. */
const kindFor = (random: Random, { cardProcessor }: JourneyDeps): JourneyKind => {
  const kind = chooseKind(random);
  return cardProcessor && kind === 'transfer' ? 'purchase' : kind;
};

/** Plays one payer, from the first request to the last answer. Never rejects because of the gateway. */
export async function runJourney(number: number, seedStream: Random, deps: JourneyDeps): Promise<void> {
  const random = seedStream.fork(number);
  const kind = kindFor(random, deps);
  const body = bodyOf(kind, random, deps);
  const path = kind === 'verify' ? '/v1/payments/verify' : '/v1/payments';
  const { answer } = await sendOnce(deps.caller, path, body);
  const id: string | undefined = answer?.status === 409 ? answer.body?.params?.existingId?.[0] : answer?.body?.id;
  if (kind === 'transfer' && id !== undefined) return payCode(id, deps.caller);
  const action: string | undefined = kind === 'challenge' ? answer?.body?.actions?.[0]?.href : undefined;
  if (action !== undefined) return answerChallenge(action, random, deps);
  const wanted = statusBefore[kind];
  if (!id || !wanted || (answer?.status !== 200 && answer?.status !== 409)) return;
  const ready = wanted.includes(answer.body?.status) || (await settled(deps.caller, id, wanted));
  if (ready) await followUp(kind, id, Number((body.amount as { total: string }).total), random, deps.caller);
}
