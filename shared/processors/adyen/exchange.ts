/** Sends one request to Adyen for one merchant, under one idempotency key. */
import type { Log } from '../../log.js';
import type { HttpExchange } from '../http-exchange.js';
import type { NotSent, ProcessorMerchant, Unknown } from '../processor.js';
import { readError } from './answer.schema.js';
import type { AdyenError } from './wire.js';

export interface AdyenContext {
  readonly http: HttpExchange;
  readonly log: Log;
  readonly now: () => Date;
}

export interface AdyenAccount {
  readonly merchantAccount: string;
  readonly apiKey: string;
}

/** Returns the merchant's account; `undefined` when no credentials are set for the merchant. */
export function accountOf({ credentials }: ProcessorMerchant): AdyenAccount | undefined {
  const { merchantAccount, apiKey } = credentials ?? {};
  return merchantAccount && apiKey ? { merchantAccount, apiKey } : undefined;
}

export const noAccount: NotSent = { kind: 'not-sent', internal: 'the merchant has no credentials at Adyen' };

export type AdyenReply =
  | { readonly kind: 'success'; readonly json: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly error: AdyenError | undefined }
  | NotSent
  | Unknown;

export interface AdyenCall {
  readonly account: AdyenAccount;
  readonly path: string;
  readonly body: object;
  /** Adyen executes requests with the same key only once and repeats the first answer. At most 64 characters. */
  readonly idempotencyKey: string;
}

const CREATED = 201;
const OK = 200;

export async function call(
  { http }: Pick<AdyenContext, 'http'>,
  { account, path, body, idempotencyKey }: AdyenCall,
): Promise<AdyenReply> {
  const headers = { 'x-api-key': account.apiKey, 'idempotency-key': idempotencyKey };
  const exchange = await http.exchange({ method: 'POST', path, body, headers });
  if (exchange.kind !== 'answered') return exchange;
  const { status, headers: said, json } = exchange;
  if (status === OK || status === CREATED) return { kind: 'success', json };
  // With this header any error is temporary: the same request has to be sent again under its key.
  if (said['transient-error'] === 'true') return { kind: 'unknown', internal: `status ${status}, which passes` };
  return { kind: 'refused', status, error: readError(json) };
}
