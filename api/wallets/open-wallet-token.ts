/** Hands a wallet token to the `wallet` pool, sealed, and waits for its content. */

import { limits } from '../../config/limits.js';
import { pause } from '../../shared/clock.js';
import type { ErrorCode } from '../../shared/contract/error-catalogue.js';
import { GatewayError } from '../../shared/contract/gateway-error.js';
import { after, noLease } from '../../shared/domain/time.js';
import {
  isCertificateLive,
  isOpenTo,
  type WalletAProfile,
  type WalletIntegration,
  type WalletType,
} from '../../shared/domain/wallet/integration.js';
import { openingBinding } from '../../shared/domain/wallet/opening.js';
import { newWalletOpeningId } from '../../shared/ids.js';
import { openWalletToken } from '../../shared/queue/open-wallet-token.job.js';
import type { WalletCredential, WalletRefusal } from '../../shared/wallets/credential.js';
import type { ApiDeps } from '../deps.js';
import type { Caller } from '../http/define-endpoint.js';
import type { PaymentChannel } from '../payments/payment-draft.js';

const badTokenA: ErrorCode = 'invalid-card-payment-method-token';

/** Error codes: one for every problem of a wallet-a token; for wallet-b the API distinguishes a few. */
const codes: Record<WalletType, Record<WalletRefusal, ErrorCode>> = {
  'wallet-a-pay': {
    malformed: badTokenA,
    'emv-data': badTokenA,
    expired: badTokenA,
    unverifiable: badTokenA,
    'wrong-merchant': badTokenA,
    'unknown-key': badTokenA,
    'certificate-expired': badTokenA,
  },
  'wallet-b-pay': {
    malformed: 'INVALID_WALLET_B_PAY_TOKEN',
    'emv-data': 'INVALID_WALLET_B_PAY_TOKEN',
    expired: 'INVALID_WALLET_B_PAY_TOKEN',
    unverifiable: 'WALLET_B_PAY_SIGNATURE_INVALID',
    'wrong-merchant': 'INVALID_WALLET_B_PAY_TOKEN',
    'unknown-key': 'WALLET_B_PAY_CERTIFICATE_NOT_FOUND',
    'certificate-expired': 'WALLET_B_PAY_CERTIFICATE_EXPIRED',
  },
};

/** Explains what the code alone does not: the token is valid, but the wallet must be asked for another kind. */
const EMV_REFUSED =
  'wallet-b tokens of paymentDataType EMV are not supported by the processor. Ask the wallet for 3DSecure only.';

function refusalOf(walletType: WalletType, reason: WalletRefusal): GatewayError {
  const message = reason === 'emv-data' && walletType === 'wallet-b-pay' ? EMV_REFUSED : undefined;
  return new GatewayError(codes[walletType][reason], { internal: reason, ...(message !== undefined && { message }) });
}

/** Returns the merchant's integration. @throws {GatewayError} when the merchant does not accept the wallet there. */
async function readEnabled(
  deps: ApiDeps,
  merchantId: number,
  walletType: WalletType,
  channel: PaymentChannel,
): Promise<WalletIntegration | undefined> {
  const integration = await deps.walletIntegrations.find(merchantId, walletType);
  if (!isOpenTo(integration, channel)) {
    const internal = `${walletType} is not enabled for the merchant and mode ${channel}`;
    if (walletType === 'wallet-b-pay') throw new GatewayError('WALLET_B_PAY_NOT_ENABLED', { internal });
    // The message of this code is about card brands.
    const message = `wallet-a is not enabled for the ${channel === 'api' ? 'API' : 'hosted pages'} of this merchant.`;
    throw new GatewayError('invalid-card-payment-method', { internal, message });
  }
  if (walletType === 'wallet-a-pay') return integration;
  const { certificates = [] } = integration ?? {};
  if (certificates.length === 0) throw new GatewayError('WALLET_B_PAY_CERTIFICATE_NOT_FOUND');
  const live = certificates.some((certificate) => isCertificateLive(certificate, deps.clock.now()));
  if (!live) throw new GatewayError('WALLET_B_PAY_CERTIFICATE_EXPIRED');
  return integration;
}

/**
 * Checks that the merchant allows this kind of credential. The wallet gives what the page asks for, and the page may be anyone's.
 * @param profile of wallet-a; wallet-b has none, and gives one kind only
 * @throws {GatewayError} `invalid-card-payment-method-token`
 */
function checkAuthMethod(profile: WalletAProfile | undefined, { kind }: WalletCredential): void {
  const method = kind === 'pan-only' ? 'PAN_ONLY' : 'CRYPTOGRAM_3DS';
  if (!profile || profile.allowedAuthMethods.includes(method)) return;
  const message = `The token holds a ${method} credential, which allowedAuthMethods of the merchant’s wallet-a profile leaves out.`;
  throw new GatewayError(badTokenA, { internal: `${method} is not allowed`, message });
}

/** Returns the row when the pool has settled it, or undefined when that takes too long. */
async function waitForOpening(deps: ApiDeps, id: string) {
  const giveUpAt = performance.now() + limits.walletWaitMs;
  // Polls quickly at first, because a token is opened in milliseconds, then slower: without a pool, hundreds of calls may be polling.
  for (let waitMs = limits.walletPollMs; performance.now() < giveUpAt; waitMs *= limits.walletPollGrowth) {
    const row = await deps.walletOpenings.find(id);
    if (row?.status !== 'waiting') return row;
    await pause(Math.min(waitMs, limits.walletPollMsMax));
  }
  return undefined;
}

/**
 * Opens a wallet token.
 * @throws {GatewayError} with the code of the wallet table, or `service-unavailable` when no pool opened the token in time: then
 * nothing was done, and the token can be sent again.
 */
export async function openWallet(
  deps: ApiDeps,
  request: {
    readonly merchantId: number;
    readonly walletType: WalletType;
    readonly token: string;
    /** Absent: `api`. */
    readonly channel?: PaymentChannel;
  },
  { principal, traceId }: Pick<Caller, 'principal' | 'traceId'>,
): Promise<WalletCredential> {
  const { merchantId, walletType, channel = 'api' } = request;
  const integration = await readEnabled(deps, merchantId, walletType, channel);
  const now = deps.clock.now();
  const owner = { _id: newWalletOpeningId(), clientId: principal.clientId };
  const payload = await deps.vault.seal('cvc', request.token, openingBinding(owner, 'payload'));
  const destroyAt = after(now, limits.walletOpeningKeptMs);
  await deps.walletOpenings.insert({
    ...owner,
    merchantId,
    walletType,
    payload,
    status: 'waiting',
    createdAt: now,
    leaseUntil: noLease,
    destroyAt,
  });
  void deps.nudges.add(openWalletToken, { openingId: owner._id, traceId });
  try {
    const row = await waitForOpening(deps, owner._id);
    if (!row) {
      const retryAfterSeconds = limits.retryAfterPaymentSeconds;
      throw new GatewayError('service-unavailable', { internal: 'no wallet pool answered', retryAfterSeconds });
    }
    if (!row.credential) throw refusalOf(walletType, row.reason as WalletRefusal);
    const opened = await deps.vault.open(row.credential, openingBinding(owner, 'credential'));
    const credential = JSON.parse(opened.toString('utf8')) as WalletCredential;
    checkAuthMethod(integration?.profile, credential);
    return credential;
  } finally {
    await deps.walletOpenings.remove(owner._id);
  }
}

/**
 * Marks the token as used. Of several requests with the same token only one continues.
 * @param message explains the refusal of a card that was saved from a token
 * @throws {GatewayError} when the token was used for something else.
 */
export async function claimWalletToken(
  deps: Pick<ApiDeps, 'walletUses' | 'clock'>,
  use: { readonly walletType: WalletType; readonly uniqueId: string; readonly owner: string },
  message?: string,
): Promise<void> {
  if (await deps.walletUses.claim(use, deps.clock.now())) return;
  const internal = 'the wallet token was used before';
  if (message !== undefined) throw new GatewayError(badTokenA, { internal, message });
  throw new GatewayError(use.walletType === 'wallet-a-pay' ? badTokenA : 'WALLET_B_PAY_TOKEN_REPLAY', { internal });
}
