/**
 * The adapter to Stripe: PaymentIntents that are confirmed when they are created. A call without an answer is `not-sent` or
 * `unknown` (docs/processors.md, "Stripe"). Our transaction id is in the metadata, and is the idempotency key of each POST
 * except those of a reversal, and of an operation for which Stripe only repeats an error (`follow-up.ts`).
 */
import { stripeModeProblem } from '../../../config/stripe-keys.js';
import { startStopwatch } from '../../clock.js';
import type { Log } from '../../log.js';
import type {
  AuthorizeRequest,
  FollowUpRequest,
  ProbeResult,
  Processor,
  ProcessorMerchant,
  ProcessorTraits,
  SendResult,
} from '../processor.js';
import { readId, readIntent, type WireIntent } from './answer.schema.js';
import { type Account, type CallContext, type CallResult, connect } from './calls.js';
import { declinedOf, failedOf, isDecline } from './declines.js';
import { requestOf } from './find-intent.js';
import { type FollowUpOperation, sendFollowUp } from './follow-up.js';
import { inquire } from './inquire.js';
import { reverse } from './reverse.js';
import { amountRefusal, refusalOf, toIntent, toMethod } from './to-intent.js';
import { authorizationOutcome, declineOutcome } from './to-outcome.js';

export interface StripeOptions {
  readonly baseUrl: string;
  /** Secret key of the installation; absent when only merchants have keys. */
  readonly secretKey?: string | undefined;
  readonly timeoutMs: number;
  readonly log: Log;
  /** Absent: keys of both modes of Stripe are used. */
  readonly environment?: 'testing' | 'production' | undefined;
}

/** Stripe repeats its answer to a key for 24 hours; after that, nothing is sent again without an inquiry first. */
const traits: ProcessorTraits = {
  dedupes: true,
  tombstones: false,
  refundNeedsPan: false,
  refuses: ['network-token', 'wallet-cryptogram', 'click-to-pay'],
};

const merchantCredentials = ['secretKey', 'webhookSecret'] as const;

const FORBIDDEN = 403;

/** A fault of one merchant's settings, which must not open the breaker of the route that others use too. */
const noKey = {
  kind: 'not-sent',
  internal: 'neither the merchant nor the installation has a key at stripe',
  blocked: 'route',
} as const;
/** A merchant's own key of the other mode, as an earlier release stored it: test cards would be approved without money, or real cards charged. */
const keyOfOtherMode = {
  kind: 'not-sent',
  internal: "the merchant's key is of the mode of stripe that this environment refuses",
  blocked: 'route',
} as const;
const unknown = (internal: string) => ({ kind: 'unknown', internal }) as const;
const noAnswer = (internal: string) => ({ kind: 'no-answer', internal }) as const;
const unreadable = unknown('the answer has another shape');

/** Finds the account of a merchant. A merchant number `acct_…` is a connected account, called with the key of its platform. */
function accountOf({ secretKey }: StripeOptions, merchant: ProcessorMerchant): Account | undefined {
  const own = merchant.credentials?.['secretKey'] ?? secretKey;
  if (own === undefined) return undefined;
  const connected = merchant.merchantIdentificationNumber;
  return { secretKey: own, ...(connected?.startsWith('acct_') && { stripeAccount: connected }) };
}

/** Cancels a PaymentIntent that waits for an action of the payer, so that no payment stays open at Stripe. */
async function giveUp(
  { call, account }: CallContext,
  { key }: AuthorizeRequest,
  intent: WireIntent,
): Promise<SendResult> {
  const called = await call(account, (client) =>
    client.paymentIntents.cancel(intent.id, {}, requestOf(account, `${key}-action`)),
  );
  const cancelled = called.kind === 'answer' && readIntent(called.body)?.status === 'canceled';
  if (!cancelled) return { ...unknown('an action of the payer is asked for'), processorReference: intent.id };
  return { ...declinedOf({ status: 402, code: 'authentication_required' }), processorReference: intent.id };
}

/** Returns the object that a POST created or changed, or the result of a refused or unanswered call. */
function refusedOr<T>(called: CallResult, read: (body: unknown) => T | undefined): T | SendResult {
  if (called.kind === 'answer') return read(called.body) ?? unreadable;
  if (called.kind !== 'refused') return called;
  return isDecline(called.fault) ? declineOutcome(called.fault) : failedOf(called.fault);
}

const isIntent = (value: WireIntent | SendResult): value is WireIntent => 'status' in value;

async function authorize(work: CallContext, request: AuthorizeRequest): Promise<SendResult> {
  const { call, account, timeoutMs } = work;
  const { key, credential, payer, capture } = request;
  if (!credential.card) return refusalOf(request) ?? unreadable;
  const method = toMethod(credential.card, payer);
  const elapsedMs = startStopwatch();
  const made = await call(account, (client) => client.paymentMethods.create(method, requestOf(account, `${key}-card`)));
  if (made.kind === 'refused') return isDecline(made.fault) ? declinedOf(made.fault) : failedOf(made.fault);
  if (made.kind !== 'answer') return made;
  const methodId = readId(made.body);
  if (methodId === undefined) return unreadable;
  // Nothing is charged yet. A PaymentIntent sent this late could arrive after the gateway has given the payment up.
  if (elapsedMs() > timeoutMs / 2) return { kind: 'not-sent', internal: 'stripe is too slow' };
  const called = await call(account, (client) =>
    client.paymentIntents.create(toIntent(request, methodId), requestOf(account, key)),
  );
  const intent = refusedOr(called, readIntent);
  if (!isIntent(intent)) return intent;
  if (intent.status === 'requires_action') return giveUp(work, request, intent);
  if (intent.status === (capture ? 'requires_capture' : 'succeeded')) {
    return { ...unknown(`the PaymentIntent is ${intent.status}`), processorReference: intent.id };
  }
  return authorizationOutcome(intent);
}

/** Checks the connection and the key by reading the balance, whose value is ignored. */
async function probe(call: CallContext['call'], secretKey: string | undefined): Promise<ProbeResult> {
  const called = await call({ secretKey: secretKey ?? 'sk_none' }, (client) => client.balance.retrieve());
  if (called.kind === 'answer') return { kind: 'reachable', detail: 'it answers and takes the key' };
  if (called.kind !== 'refused') return { kind: 'unreachable', internal: called.internal };
  if (secretKey === undefined)
    return { kind: 'reachable', detail: "it answers; keys are the merchants' own, not tried" };
  // The key is a restricted one that may not read the balance.
  if (called.fault.status === FORBIDDEN)
    return { kind: 'reachable', detail: 'it answers and takes the restricted key' };
  return { kind: 'unreachable', internal: `it refuses the key (status ${called.fault.status})` };
}

const isOfOtherMode = ({ secretKey }: Account, { environment }: StripeOptions): boolean =>
  environment !== undefined && stripeModeProblem(secretKey, environment) !== undefined;

export function createStripeProcessor(options: StripeOptions): Processor {
  const { call, close } = connect(options);
  const workFor = (merchant: ProcessorMerchant): CallContext | undefined => {
    const account = accountOf(options, merchant);
    return account && { account, call, timeoutMs: options.timeoutMs };
  };
  const followUp =
    (operation: FollowUpOperation) =>
    async (request: FollowUpRequest): Promise<SendResult> => {
      const work = workFor(request.merchant);
      const refusal = amountRefusal(request.amountMinor, request.currency);
      if (refusal || !work) return refusal ?? noKey;
      return sendFollowUp(work, operation, request);
    };
  return {
    code: 'stripe',
    traits,
    merchantCredentials,
    merchantCredentialsOptional: true,
    async authorize(request) {
      const work = workFor(request.merchant);
      const refusal = refusalOf(request);
      if (refusal || !work) return refusal ?? noKey;
      return isOfOtherMode(work.account, options) ? keyOfOtherMode : authorize(work, request);
    },
    capture: followUp('capture'),
    cancel: followUp('cancel'),
    refund: followUp('refund'),
    async inquire(request) {
      const work = workFor(request.merchant);
      return work ? inquire(work, request) : noAnswer(noKey.internal);
    },
    async reverse(request) {
      const work = workFor(request.merchant);
      return work ? reverse(work, request) : noAnswer(noKey.internal);
    },
    probe: () => probe(call, options.secretKey),
    close,
  };
}
