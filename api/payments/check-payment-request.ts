/** Checks what the schema of a payment request cannot: the merchant's state, and where this installation may send callbacks. */

import { GatewayError, invalidField } from '../../shared/contract/gateway-error.js';
import type { PaymentInstrument } from '../../shared/domain/instrument/payment-instrument.js';
import type { Merchant } from '../../shared/domain/merchant.js';
import { checkTargetUrl, webUrlProblem } from '../../shared/outbound/target-url.js';
import type { ApiDeps } from '../deps.js';
import type { PaymentRequestBody } from './payment-request.schema.js';

/**
 * Refuses a suspended merchant: it accepts no new payments, while reads and refunds continue.
 * @param field name of the merchant in `params`, when it is not the merchant of the payment
 * @returns the merchant, which may be paid
 * @throws {GatewayError} `forbidden` when it is suspended.
 */
export async function refuseSuspended(
  deps: Pick<ApiDeps, 'merchants'>,
  merchantId: number,
  field?: string,
): Promise<Merchant | undefined> {
  const merchant = await deps.merchants.findMerchant(merchantId);
  if (merchant?.status !== 'suspended') return merchant;
  throw new GatewayError('forbidden', {
    message: 'The merchant is suspended and accepts no new payments.',
    ...(field !== undefined && { params: { [field]: ['is suspended'] } }),
  });
}

/**
 * Checks that the customer exists. Read each time and not cached: a deleted customer takes no further payments.
 * @throws {GatewayError} `request-validation-errors` naming `customerId` when the client has no such customer.
 */
export async function checkCustomer(
  deps: Pick<ApiDeps, 'customers'>,
  clientId: string,
  customerId: string | undefined,
): Promise<void> {
  if (customerId === undefined || (await deps.customers.find(clientId, customerId))) return;
  throw unknownCustomer();
}

export const unknownCustomer = () => invalidField('customerId', 'is not a known customer');

/**
 * Checks that a saved card is charged for its own customer only. A card without a customer may be charged for any, and the request
 * need not name a customer.
 * @throws {GatewayError} `request-validation-errors` naming `customerId`.
 */
export function refuseOtherCustomer(
  saved: Pick<PaymentInstrument, 'customerId'> | undefined,
  customerId: string | undefined,
): void {
  if (saved?.customerId === undefined || customerId === undefined || saved.customerId === customerId) return;
  throw invalidField('customerId', 'is not the customer of the saved card');
}

/** Why a payer cannot be sent to this page of the integrator: scripts and credentials are refused; production needs https. */
export function redirectProblem(url: string, environment: 'testing' | 'production'): string | undefined {
  const problem = webUrlProblem(url);
  if (problem !== undefined) return problem;
  return environment === 'production' && new URL(url).protocol !== 'https:' ? 'must be an https URL' : undefined;
}

/** Why this installation cannot send callbacks to this URL; undefined when it can. */
export function callbackProblem(
  url: string,
  { environment, callbackAllowPrivateNetworks: allowPrivateNetworks }: ApiDeps['config'],
): string | undefined {
  return checkTargetUrl(url, { environment, allowPrivateNetworks });
}

/** @throws {GatewayError} `request-validation-errors` naming `callbackUrl` or `redirectUrl`, or both. */
function checkUrls(config: ApiDeps['config'], request: Pick<PaymentRequestBody, 'callbackUrl' | 'redirectUrl'>) {
  const { callbackUrl, redirectUrl } = request;
  const params: Record<string, string[]> = {};
  const callback = callbackUrl === undefined ? undefined : callbackProblem(callbackUrl, config);
  if (callback) params['callbackUrl'] = [callback];
  const redirect = redirectUrl === undefined ? undefined : redirectProblem(redirectUrl, config.environment);
  if (redirect) params['redirectUrl'] = [redirect];
  if (Object.keys(params).length > 0) throw new GatewayError('request-validation-errors', { params });
}

/**
 * @returns the merchant that is paid
 * @throws {GatewayError} `forbidden`; `request-validation-errors` naming `callbackUrl`, `redirectUrl` or `customerId`
 */
export async function checkPaymentRequest(
  deps: Pick<ApiDeps, 'merchants' | 'customers' | 'config'>,
  request: Pick<PaymentRequestBody, 'merchantId' | 'customerId' | 'callbackUrl' | 'redirectUrl'>,
  clientId: string,
): Promise<Merchant | undefined> {
  const merchant = await refuseSuspended(deps, request.merchantId);
  checkUrls(deps.config, request);
  await checkCustomer(deps, clientId, request.customerId);
  return merchant;
}
