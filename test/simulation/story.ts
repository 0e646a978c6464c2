/** Plays the steps of a scenario: merchant and payers, one after another or at once. */
import type { ApiDeps } from '../../api/deps.js';
import type { Caller } from '../../api/http/define-endpoint.js';
import { disablePaymentLinkEndpoint } from '../../api/payment-links/disable-payment-link.js';
import { enterLink, findHostedLink } from '../../api/payment-links/enter-link.js';
import { createPayment } from '../../api/payments/create-payment.js';
import { operatePayment } from '../../api/payments/operate-payment.js';
import { verifyPayment } from '../../api/payments/verify-payment.js';
import { createSession } from '../../api/sessions/create-session.js';
import { cancelSession } from '../../api/sessions/hosted-session.js';
import { paySession } from '../../api/sessions/pay-session.js';
import { readSession } from '../../api/sessions/read-session.js';
import { tokenizeSession } from '../../api/sessions/tokenize-session.js';
import { returnFromChallenge } from '../../api/threeds/answer-challenge.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { authorizationOf } from '../../shared/domain/payment/attempts.js';
import type { Payment } from '../../shared/domain/payment/payment.js';
import type { PaymentLink } from '../../shared/domain/payment-link/payment-link.js';
import type { Session } from '../../shared/domain/session/session.js';
import { after } from '../../shared/domain/time.js';
import type { Client } from './client.js';
import { CLIENT, MERCHANT } from './installation.js';
import type { ByHandStep, LinkStep, OperateStep, PayStep, SessionStep, Step, TransferStep } from './scenarios.js';
import type { SimulatedBank } from './simulated-bank.js';
import type { SimulatedStore } from './simulated-database.js';
import type { SimulatedIssuer } from './simulated-issuer.js';
import { cards, type SimulatedAcquirer } from './simulated-processor.js';

const CALLBACK_URL = 'https://shop.test/callback';
const AMOUNT = { totalMinor: 1_050, currency: 'USD' } as const;
const browserDetails = { ipAddress: '203.0.113.7', userAgent: 'Simulated/1' };
const AT_ISSUER_MS = 1_000;
/** Limits how often the payer of a link or session reloads a page that says it is out of date. */
const RELOADS_MAX = 12;
const RELOAD_MS = 3_000;

const cardOf = (name: keyof typeof cards) => ({ number: cards[name], expMonth: 12, expYear: 2034, cvc: '123' });

export interface StoryContext {
  readonly client: Client;
  readonly store: SimulatedStore;
  readonly bank: SimulatedBank;
  readonly acquirer: SimulatedAcquirer;
  readonly issuer: SimulatedIssuer;
  /** How long a payer may take at the issuer (ms). */
  readonly challengeMs: number;
}

export class Story {
  #references = 0;

  constructor(private readonly context: StoryContext) {}

  /** Plays the steps one after another. */
  async play(steps: readonly Step[], initial?: Payment): Promise<Payment | undefined> {
    let payment = initial;
    for (const step of steps) payment = (await this.#play(step, payment)) ?? payment;
    return payment;
  }

  async #play(step: Step, payment: Payment | undefined): Promise<Payment | undefined> {
    if ('atOnce' in step) {
      await Promise.all(step.atOnce.map((one) => this.#play(one, payment)));
      return payment;
    }
    if ('pay' in step) return this.#pay(step);
    if ('transfer' in step) return this.#transfer(step);
    if ('session' in step) return this.#session(step);
    if ('payers' in step) return this.#link(step);
    if ('byHand' in step) return this.#operateByHand(step, payment);
    return this.#operate(step, payment);
  }

  #reference(): string {
    this.#references += 1;
    return `ref-${this.#references}`;
  }

  #findPayment(referenceId: string): Payment | undefined {
    return this.context.store.all<Payment>('payments').find((payment) => payment.referenceId === referenceId);
  }

  /** Returns the newest state of a payment once nothing of it is under way, or the rest was handed to a person. */
  async #waitUntilSettled(referenceId: string): Promise<Payment | undefined> {
    const isSettled = () => {
      const found = this.#findPayment(referenceId);
      return !found || found.alerts || (!['created', 'pending'].includes(found.status) && !found.activeOp);
    };
    await this.context.client.waitUntil(() => Boolean(isSettled()));
    return this.#findPayment(referenceId);
  }

  async #pay(step: PayStep): Promise<Payment | undefined> {
    const { client } = this.context;
    const referenceId = this.#reference();
    const tokenizationSettings = step.save ? { tokenizationSettings: { type: 'store' as const } } : {};
    const body = {
      merchantId: MERCHANT,
      referenceId,
      invoiceNumber: referenceId,
      amount: AMOUNT,
      paymentMethod: { source: 'card' as const, card: { ...cardOf(step.pay), ...tokenizationSettings } },
      browserDetails,
      redirectUrl: 'https://shop.test/back',
      ...(step.capture === 'manual' && { capture: { method: 'manual' as const } }),
      ...(typeof step.capture === 'number' && { capture: { delay: step.capture } }),
      ...(step.callback && { callbackUrl: CALLBACK_URL }),
      ...(step.takesPart && { allowPartialApproval: true }),
    };
    const pay = (deps: ApiDeps, caller: Caller) =>
      step.verify ? verifyPayment(deps, body, caller) : createPayment(deps, body, caller);
    if (step.issuer) void this.#answerIssuer(referenceId, step.issuer);
    const key = step.sameKeyRequests === undefined ? undefined : `key-${referenceId}`;
    const asked = Array.from({ length: step.sameKeyRequests ?? 1 }, () => client.request(referenceId, pay, key));
    const answers = await Promise.all(asked);
    const ids = new Set(answers.map((answer) => (answer instanceof GatewayError ? answer.code : answer._id)));
    if (ids.size > 1) client.world.violated('idempotency', `one key was answered by ${[...ids].join(' and ')}`);
    return this.#waitUntilSettled(referenceId);
  }

  /** Lets the payer, who is sent to the issuer, answer. */
  async #answerIssuer(referenceId: string, response: NonNullable<PayStep['issuer']>): Promise<void> {
    const { client, issuer, challengeMs } = this.context;
    const challenged = () => this.#findPayment(referenceId)?.threeDs;
    await client.waitUntil(() => challenged()?.status === 'step-up-required');
    const sessionId = challenged()?.sessionId ?? '';
    if (response === 'leaves') return;
    await client.pause(response === 'passes-late' ? challengeMs + AT_ISSUER_MS : AT_ISSUER_MS);
    issuer.answer(sessionId, response === 'refuses' ? 'refused' : 'passed');
    if (response === 'passes-and-closes') return;
    await client.request('return from the issuer', (deps) => returnFromChallenge(deps, sessionId, undefined));
  }

  async #operate({ operate, amount }: OperateStep, payment: Payment | undefined): Promise<Payment | undefined> {
    if (!payment || ['denied', 'failed'].includes(payment.status)) return payment;
    const { client } = this.context;
    const referenceId = this.#reference();
    const body = { referenceId, ...(amount && { amount }) };
    await client.request(`${operate} ${referenceId}`, (deps, caller) =>
      operatePayment(deps, { kind: operate, paymentId: payment._id, body }, caller),
    );
    return this.#waitUntilSettled(payment.referenceId);
  }

  /** Lets a person operate on the payment at the acquirer, as at its dashboard. */
  async #operateByHand({ byHand, amountMinor }: ByHandStep, payment: Payment | undefined): Promise<undefined> {
    const { acquirer } = this.context;
    const key = payment && authorizationOf(payment)?.id;
    await this.#pauseAtRandom();
    if (key !== undefined) acquirer.operateByHand(byHand, key, amountMinor);
  }

  async #transfer({ callback, actions }: TransferStep): Promise<Payment | undefined> {
    const { client, bank } = this.context;
    const referenceId = this.#reference();
    const body = {
      ...{ merchantId: MERCHANT, referenceId, invoiceNumber: referenceId, amount: AMOUNT, flow: 'pos' as const },
      paymentMethod: { source: 'bank-transfer' as const, id: 'instant-transfer' },
      ...(callback && { callbackUrl: CALLBACK_URL }),
    };
    const act = {
      pays: () => this.#findPayment(referenceId)?.code && bank.pay(),
      rejects: () => bank.reject(),
      'merchant-cancels': () => void this.#operate({ operate: 'cancellation' }, this.#findPayment(referenceId)),
    };
    const done = actions.map(async ({ atMs, action }) => {
      await client.pause(atMs);
      act[action]();
    });
    await client.request(referenceId, (deps, caller) => createPayment(deps, body, caller));
    await Promise.all(done);
    return this.#waitUntilSettled(referenceId);
  }

  async #session({ session: type, tries, verifies, cancels }: SessionStep): Promise<undefined> {
    const { client } = this.context;
    const referenceId = this.#reference();
    const verifyFunds = verifies ? { verifyFunds: { amount: '1.00', currency: 'USD' } } : {};
    const body = {
      ...{ merchantId: MERCHANT, referenceId, type },
      ...(type === 'checkout' && {
        paymentRequest: { referenceId, invoiceNumber: referenceId, amount: { total: '10.50', currency: 'USD' } },
      }),
      settings: {
        ...(type === 'tokenization' && { tokenization: { type: 'store' as const, ...verifyFunds } }),
        callbacks: { paymentCallbackUrl: CALLBACK_URL, tokenizationCallbackUrl: `${CALLBACK_URL}/tokens` },
      },
    };
    const created = await client.request(
      `session ${referenceId}`,
      (deps, caller) => createSession(deps, body, caller),
      referenceId,
    );
    if (created instanceof GatewayError) return void client.world.violated('session', `not made: ${created.code}`);
    const tryWith = type === 'checkout' ? this.#payTry : this.#tokenizeTry;
    const cancelled = cancels ? this.#cancelSession(created._id) : undefined;
    for (const card of tries)
      await this.#tryUntilAnswered(created._id, (session, attempt) => tryWith(session, attempt, card));
    await cancelled;
    return undefined;
  }

  /** Cancels a session as its payer does in another tab, about when the payment begins. */
  async #cancelSession(sessionId: string): Promise<void> {
    const { client } = this.context;
    await this.#pauseAtRandom(8);
    await client.request(`cancel ${sessionId}`, async (deps) => {
      const session = await deps.sessions.findById(sessionId);
      if (!session) throw new GatewayError('not-found');
      await cancelSession(deps, { session } as Parameters<typeof cancelSession>[1]);
    });
  }

  /** Lets some time pass in random stories, so that what happens at once comes in any order. */
  #pauseAtRandom(otherwiseMs = 0): Promise<void> {
    const { world } = this.context.client;
    return this.context.client.pause(world.faultPlan.randomized ? Math.floor(world.random() * 3_000) : otherwiseMs);
  }

  /** Repeats a try as a payer does who reloads the page as often as it says that it is out of date. */
  async #tryUntilAnswered(
    sessionId: string,
    attemptWith: (session: Session, attempt: number) => Promise<unknown>,
  ): Promise<void> {
    const { client, store } = this.context;
    const session = () => store.all<Session>('sessions').find(({ _id }) => _id === sessionId);
    // The page of a paid link offers no further try.
    const isOpen = () =>
      session()?.status === 'pending' &&
      store.all<PaymentLink>('payment_links').every(({ status }) => status === 'active');
    let attempt = (session()?.tries ?? 0) + 1;
    for (let reloads = 0; reloads < RELOADS_MAX; reloads += 1) {
      const current = session();
      if (!current || !isOpen()) return;
      const answer = await attemptWith(current, attempt);
      if (!(answer instanceof GatewayError) || answer.code !== 'conflict') return;
      await client.pause(RELOAD_MS);
      attempt = Math.min(attempt, (session()?.tries ?? 0) + 1);
    }
  }

  readonly #payTry = (session: Session, attempt: number, card: keyof typeof cards) =>
    this.context.client.request(`try ${attempt} of ${session.referenceId}`, async (deps, caller) => {
      const current = session.paymentLink
        ? ((await deps.sessions.findById(session._id)) ?? session)
        : await readSession(deps, session._id, caller.principal);
      const source = { kind: 'card' as const, ...cardOf(card) };
      return paySession(deps, current, { attempt, source, browserDetails }, caller);
    });

  readonly #tokenizeTry = (session: Session, attempt: number, card: keyof typeof cards) =>
    this.context.client.request(`try ${attempt} of ${session.referenceId}`, async (deps, caller) => {
      const current = await readSession(deps, session._id, caller.principal);
      const input = { attempt, card: cardOf(card), browserDetails };
      await tokenizeSession(deps, { session: current } as Parameters<typeof tokenizeSession>[1], input, caller);
    });

  async #link({ payers, disables, validMs }: LinkStep): Promise<undefined> {
    const { store, client } = this.context;
    const now = client.world.now();
    const link: PaymentLink = {
      ...{ _id: '00000000-0000-4000-8000-000000000001', externalId: '0'.repeat(32), clientId: CLIENT, keyId: 'key_a' },
      ...{ merchants: 'all', merchantId: MERCHANT, traceId: 'trace-link', type: 'one-time', status: 'active' },
      ...{
        createdAt: now,
        updatedAt: now,
        amount: AMOUNT,
        currencies: ['USD'],
        splitDestinations: [],
        entries: 0,
        claim: 1,
      },
      settings: { amountMode: 'fixed', skipPreCheckout: false, callbackUrl: CALLBACK_URL },
      ...(validMs !== undefined && { validUntil: after(now, validMs), checkAt: after(now, validMs) }),
    };
    store.put('payment_links', { ...link });
    const paid = payers.map((card) => this.#payByLink(link, card));
    await Promise.all(disables ? [...paid, this.#disableLink(link)] : paid);
    return undefined;
  }

  async #disableLink({ _id: id }: PaymentLink): Promise<void> {
    await this.#pauseAtRandom(20);
    await this.context.client.request('disable the link', async (deps, caller) => {
      const context = { ...caller, params: { linkId: id } };
      await disablePaymentLinkEndpoint.handle(context as never, deps as never);
    });
  }

  async #payByLink({ externalId }: PaymentLink, card: keyof typeof cards): Promise<void> {
    const { client } = this.context;
    const entered = await client.request('enter the link', async (deps, caller) => {
      const hosted = await findHostedLink(deps, externalId);
      if (!hosted) throw new GatewayError('not-found');
      return (await enterLink(deps, hosted, undefined, caller.traceId)).session;
    });
    // Another payer paid first.
    if (entered instanceof GatewayError) return;
    await this.#tryUntilAnswered(entered._id, (session, attempt) => this.#payTry(session, attempt, card));
  }
}
