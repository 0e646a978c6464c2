/** One wallet token for tests, from the command line, the API of the sandbox or the mock button of its checkout. Testing only. */
import { randomBytes } from 'node:crypto';
import type { WalletIntegration, WalletType } from '../../../shared/domain/wallet/integration.js';
import { forgeWalletA } from './forge-wallet-a.js';
import { forgeWalletB } from './forge-wallet-b.js';
import type { MintedKind, WalletOrder } from './order.js';

/** Years that a minted card has left. */
const EXPIRES_IN_YEARS = 5;
const UNIQUE_ID_BYTES = 32;

export interface MintOrder {
  readonly walletType: WalletType;
  readonly merchantId: number;
  /** A test card. */
  readonly card: string;
  readonly auth: WalletOrder['auth'];
  /** What the payer approved (wallet-b); ISO 4217 numeric code. */
  readonly approved: { readonly totalMinor: number; readonly currencyNumber: string };
  readonly broken?: MintedKind | undefined;
}

export interface MintDeps {
  /** `gateway:<name>` is whom wallet-a encrypts for. */
  readonly gatewayName: string;
  findIntegration(merchantId: number, walletType: WalletType): Promise<WalletIntegration | undefined>;
  /** Makes a token count as used. */
  markUsed(use: {
    readonly walletType: WalletType;
    readonly uniqueId: string;
    readonly owner: string;
  }): Promise<unknown>;
}

/** wallet-b encrypts for a certificate, and the merchant has uploaded none. */
export class NoCertificateError extends Error {
  override readonly name = 'NoCertificateError';
}

/** @throws {NoCertificateError} */
export async function mintToken(deps: MintDeps, order: MintOrder, now: Date): Promise<string> {
  const { walletType, merchantId, card, auth, approved, broken } = order;
  const uniqueId = randomBytes(UNIQUE_ID_BYTES).toString('hex');
  const wanted: WalletOrder = {
    merchantId,
    card,
    auth,
    expMonth: 12,
    expYear: now.getUTCFullYear() + EXPIRES_IN_YEARS,
    messageId: uniqueId,
    ...(broken !== undefined && broken !== 'replayed' && { broken }),
  };
  if (broken === 'replayed') await deps.markUsed({ walletType, uniqueId, owner: 'testing' });
  if (walletType === 'wallet-a-pay') return forgeWalletA(wanted, deps.gatewayName, now);
  const integration = await deps.findIntegration(merchantId, walletType);
  const certificate = integration?.certificates?.[0];
  if (!certificate) throw new NoCertificateError(`merchant ${merchantId} has uploaded no certificate for wallet-b`);
  return forgeWalletB(wanted, { ...certificate, ...approved }, now);
}
