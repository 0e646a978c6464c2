/** Mints wallet tokens for tests without a phone, with the published test keys; only in the testing environment. */

import { GatewayError } from '../../shared/contract/gateway-error.js';
import { parseAmount } from '../../shared/domain/money/amount.js';
import { findCurrency } from '../../shared/domain/money/currency.js';
import type { WalletAuthMethod, WalletType } from '../../shared/domain/wallet/integration.js';
import type { ApiDeps } from '../deps.js';
import type { MintedKind } from './forge/order.js';
import { numberFor } from './test-figures.js';

export interface MintRequest {
  readonly type: WalletType;
  readonly merchantId: number;
  /** A test card; default: one that is approved. */
  readonly card?: string;
  readonly authMethod?: WalletAuthMethod;
  /** The amount that the payer approves (wallet-b). */
  readonly amount?: { readonly total: string; readonly currency: string };
  readonly broken?: MintedKind;
}

function approvedBy({ amount = { total: '10.50', currency: 'USD' } }: MintRequest) {
  const parsed = parseAmount(amount.total, amount.currency);
  const currency = findCurrency(amount.currency);
  if (parsed.kind === 'problem' || !currency) {
    throw new GatewayError('payment-invalid-amount', {
      params: { 'amount.total': ['is not a valid amount in this currency'] },
    });
  }
  return { totalMinor: parsed.minor, currencyNumber: currency.numeric };
}

/** @throws {GatewayError} `not-found` outside of the testing environment; `WALLET_B_PAY_CERTIFICATE_NOT_FOUND`. */
export async function mintSandboxToken(
  {
    config,
    walletIntegrations,
    walletUses,
    clock,
  }: Pick<ApiDeps, 'config' | 'walletIntegrations' | 'walletUses' | 'clock'>,
  request: MintRequest,
): Promise<string> {
  if (config.environment !== 'testing') throw new GatewayError('not-found');
  const order = {
    walletType: request.type,
    merchantId: request.merchantId,
    card: request.card ?? numberFor('approved'),
    auth: request.authMethod ?? 'CRYPTOGRAM_3DS',
    approved: approvedBy(request),
    broken: request.broken,
  };
  // Loaded only when a token is minted, so never in production.
  const { mintToken, NoCertificateError } = await import('./forge/mint-token.js');
  const now = clock.now();
  const mint = {
    gatewayName: config.walletAGatewayName ?? '',
    findIntegration: walletIntegrations.find,
    markUsed: (use: Parameters<typeof walletUses.claim>[0]) => walletUses.claim(use, now),
  };
  try {
    return await mintToken(mint, order, now);
  } catch (error) {
    if (error instanceof NoCertificateError) throw new GatewayError('WALLET_B_PAY_CERTIFICATE_NOT_FOUND');
    throw error;
  }
}
