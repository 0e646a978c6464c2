/** The adapter to the test issuer (a part of the test processor), and the pattern for other adapters. */
import { limits } from '../../../config/limits.js';
import { defined } from '../../domain/defined.js';
import { findCurrency } from '../../domain/money/currency.js';
import { createHttpExchange, type Exchange } from '../../processors/http-exchange.js';
import type {
  AuthenticationAnswer,
  AuthenticationRequest,
  MethodAnswer,
  NoAnswer,
  ResultAnswer,
  ResultRequest,
  ThreeDsProvider,
} from '../provider.js';
import { readARes, readCardRange, readError, readRReq } from './answer.schema.js';
import { type AReq, type ARes, MESSAGE_VERSION, type RReq } from './messages.js';

const noAnswer = (internal: string): NoAnswer => ({ kind: 'no-answer', internal });
const USUAL_EXPONENT = 2;

function purchaseOf({ amountMinor, currency }: Pick<ResultRequest, 'amountMinor' | 'currency'>) {
  const { numeric, exponent } = findCurrency(currency) ?? { numeric: '', exponent: USUAL_EXPONENT };
  return { purchaseAmount: String(amountMinor), purchaseCurrency: numeric, purchaseExponent: String(exponent) };
}

function toAReq(request: AuthenticationRequest): AReq {
  const { card, browser, metadata } = request;
  const { expMonth, expYear, holderName } = card;
  return {
    messageType: 'AReq',
    messageVersion: MESSAGE_VERSION,
    threeDSServerTransID: request.sessionId,
    deviceChannel: '02',
    messageCategory: '01',
    threeDSCompInd: request.methodCompletion,
    threeDSRequestorAuthenticationInd: request.recurring === undefined ? '01' : '02',
    acctNumber: card.number,
    cardExpiryDate: `${String(expYear).slice(-2)}${String(expMonth).padStart(2, '0')}`,
    ...(holderName && { cardholderName: holderName }),
    ...purchaseOf(request),
    acquirerBIN: metadata['acquirerBin'] ?? '',
    acquirerMerchantID: metadata['acquirerMerchantId'] ?? '',
    merchantName: request.merchantName,
    notificationURL: request.returnUrl,
    ...defined({ browserIP: browser.ipAddress, browserUserAgent: browser.userAgent }),
  };
}

/** Refuses an answer about another session, amount or currency: it says nothing about this one (docs/security.md#challenge-results). */
function mismatch(answer: ARes | RReq, request: ResultRequest): string | undefined {
  const { purchaseAmount, purchaseCurrency } = purchaseOf(request);
  if (answer.threeDSServerTransID !== request.sessionId) return 'the answer is of another session';
  if (answer.purchaseAmount !== purchaseAmount) return 'the answer has another amount';
  if (answer.purchaseCurrency !== purchaseCurrency) return 'the answer has another currency';
  return undefined;
}

type AuthenticationOutcome = Extract<
  AuthenticationAnswer,
  { kind: 'authenticated' | 'not-authenticated' | 'impossible' }
>;

/** Translates what both kinds of answer can say into the port's terms. */
function toOutcome(answer: ARes | RReq): AuthenticationOutcome {
  const { transStatus, eci, authenticationValue } = answer;
  const known = {
    version: answer.messageVersion,
    dsTransactionId: answer.dsTransID,
    ...(eci !== undefined && { eci }),
  };
  if (transStatus === 'Y' || transStatus === 'A') {
    const value = authenticationValue === undefined ? {} : { authenticationValue };
    return { kind: 'authenticated', transStatus, ...known, ...value };
  }
  if (transStatus === 'N' || transStatus === 'R') {
    const cancelled = 'challengeCancel' in answer && answer.challengeCancel === '01';
    return { kind: 'not-authenticated', transStatus, ...known, ...(cancelled && { cancelled }) };
  }
  return { kind: 'impossible', internal: `the issuer answers ${transStatus}` };
}

const STATUS_OK = 200;

export function createSandboxProvider(baseUrl: string, timeoutMs: number = limits.threeDsTimeoutMs): ThreeDsProvider {
  const http = createHttpExchange({ baseUrl: `${baseUrl}/threeds`, timeoutMs });

  /** Returns the JSON of an answer, or why there is none. */
  function jsonOf(exchange: Exchange): { readonly json: unknown } | NoAnswer {
    if (exchange.kind !== 'answered') return noAnswer(exchange.internal);
    return exchange.status === STATUS_OK ? { json: exchange.json } : noAnswer(`status ${exchange.status}`);
  }

  return {
    code: 'sandbox',

    async findMethod({ sessionId, card, traceId }): Promise<MethodAnswer> {
      const headers = { 'x-trace-id': traceId };
      const body = { threeDSServerTransID: sessionId, acctNumber: card.number };
      const answered = jsonOf(await http.exchange({ method: 'POST', path: '/versions', body, headers }));
      if ('kind' in answered) return answered;
      const range = readCardRange(answered.json);
      if (range?.threeDSServerTransID !== sessionId) return noAnswer('the answer is of another session');
      return range.threeDSMethodURL === undefined
        ? { kind: 'no-method' }
        : { kind: 'method', url: range.threeDSMethodURL };
    },

    async authenticate(request): Promise<AuthenticationAnswer> {
      const headers = { 'x-trace-id': request.traceId };
      const answered = jsonOf(await http.exchange({ method: 'POST', path: '/areq', body: toAReq(request), headers }));
      if ('kind' in answered) return answered;
      const error = readError(answered.json);
      if (error) return { kind: 'impossible', internal: `error message ${error.errorCode}` };
      const ares = readARes(answered.json);
      const wrong = ares ? mismatch(ares, request) : 'the answer has another shape';
      if (!ares || wrong !== undefined) return noAnswer(wrong ?? '');
      if (ares.transStatus !== 'C') return toOutcome(ares);
      const { messageVersion: version, dsTransID: dsTransactionId, acsTransID: acsTransactionId, acsURL = '' } = ares;
      return { kind: 'challenge', version, dsTransactionId, acsTransactionId, acsUrl: acsURL };
    },

    async result(request): Promise<ResultAnswer> {
      const headers = { 'x-trace-id': request.traceId };
      const path = `/results/${encodeURIComponent(request.sessionId)}`;
      const answered = jsonOf(await http.exchange({ method: 'GET', path, headers }));
      if ('kind' in answered) return answered;
      if ((answered.json as { status?: unknown } | undefined)?.status === 'open') return { kind: 'open' };
      const rreq = readRReq(answered.json);
      const wrong = rreq ? mismatch(rreq, request) : 'the answer has another shape';
      return !rreq || wrong !== undefined ? noAnswer(wrong ?? '') : toOutcome(rreq);
    },

    close: () => http.close(),
  };
}
