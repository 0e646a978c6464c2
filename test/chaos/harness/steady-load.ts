/**
 * Sends good cards through the API at even intervals, without waiting for earlier ones. A call without an outcome is repeated under its
 * reference until it has one, as integrators do. The load shows what clients saw of a fault.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { paymentOf } from './bodies.js';
import type { Caller, Exchange } from './caller.js';
import { type Check, check } from './check.js';
import { merchants } from './stack.js';

const OK = 200;
const UNAVAILABLE = 503;
const CONFLICT = 409;
const REPEAT_EVERY_MS = 250;

export interface SteadyLoad {
  /** Results of the first call of each payment. */
  readonly firstCalls: readonly Promise<Exchange>[];
  /** Sends no more payments. Resolves when each call has its outcome. */
  stop(): Promise<void>;
}

/** Whether the outcome is not known, or the call before it is still under way. */
const hasNoOutcome = ({ answer }: Exchange) =>
  !answer || answer.status === UNAVAILABLE || (answer.status === CONFLICT && answer.body?.code === 'conflict');

/** Sends the same request again, as an integrator does who got no outcome. */
async function repeatUntilAnswered(first: Exchange, call: () => Promise<Exchange>): Promise<void> {
  for (let last = first; hasNoOutcome(last); ) {
    await pause(REPEAT_EVERY_MS);
    last = await call();
  }
}

/** Every other call has an `Idempotency-Key`. */
export function startSteadyLoad(caller: Caller, perSecond: number): SteadyLoad {
  const answered: Promise<Exchange>[] = [];
  const repeated: Promise<void>[] = [];
  const timer = setInterval(() => {
    const body = paymentOf('visa', { merchantId: merchants.sandbox, total: '7.00' });
    const key: Record<string, string> =
      answered.length % 2 === 0 ? {} : { 'idempotency-key': `key-${String(body['referenceId'])}` };
    const call = () => caller.call('POST', '/v1/payments', body, key);
    const first = call();
    answered.push(first);
    repeated.push(first.then((exchange) => repeatUntilAnswered(exchange, call)));
  }, 1_000 / perSecond);
  return {
    firstCalls: answered,
    stop: async () => {
      clearInterval(timer);
      await Promise.all(repeated);
    },
  };
}

/** Describes an answer by its status and code, or says what prevented the answer. */
export const describeAnswer = ({ answer, error }: Exchange): string => {
  if (!answer) return error ?? 'no answer';
  const { status, body } = answer;
  return `${status} ${status === OK ? body?.status : (body?.code ?? '')}`.trim();
};

export const isApproved = ({ answer }: Exchange): boolean =>
  answer?.status === OK && answer.body?.status === 'approved';
export const endedAt = ({ sentAt, tookMs }: Exchange): number => sentAt + tookMs;

/** Counts how often each answer was given. */
export function countAnswers(exchanges: readonly Exchange[]): Record<string, number> {
  const answers: Record<string, number> = {};
  for (const exchange of exchanges) answers[describeAnswer(exchange)] = (answers[describeAnswer(exchange)] ?? 0) + 1;
  return answers;
}

/** The answers, the most frequent first. */
export const listAnswers = (answers: Readonly<Record<string, number>>): string =>
  Object.entries(answers)
    .sort(([, one], [, other]) => other - one)
    .map(([answer, count]) => `${count} × ${answer}`)
    .join(', ');

/** Counts connections that ended without an answer. */
export const countResets = (exchanges: readonly Exchange[]): number =>
  exchanges.filter(({ answer, unsent }) => !answer && !unsent).length;

/** Checks that every reference of the load became exactly one approved payment, whichever answers its calls got. */
export function checkChargedOnce(exchanges: readonly Exchange[], payments: readonly Payment[]): Check {
  const taken = new Map<string, number>();
  for (const { refKeys, status } of payments)
    if (status === 'approved') for (const key of refKeys) taken.set(key, (taken.get(key) ?? 0) + 1);
  const references = new Set(exchanges.flatMap(({ reference }) => reference ?? []));
  return check(
    'references that were not charged exactly once',
    [...references].filter((reference) => taken.get(`payment:${reference}`) !== 1),
    { note: `${references.size} references` },
  );
}
