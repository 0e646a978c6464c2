/** Mints a wallet token for tests: for the command line, the API of the sandbox and the mock button of its checkout. Testing only. */
import { randomBytes } from 'node:crypto';
import type { WalletIntegration, WalletType } from '../../../shared/domain/wallet/integration.js';
import { forgeWalletA } from './forge-wallet-a.js';
import { forgeWalletB } from './forge-wallet-b.js';
import type { MintedKind, WalletOrder } from './order.js';

/** Years until a minted card expires. */
const EXPIRES_IN_YEARS = 5;
const UNIQUE_ID_BYTES = 32;

export interface MintOrder {
  readonly walletType: WalletType;
  readonly merchantId: number;
  /** A test card. */
  readonly card: string;
  readonly auth: WalletOrder['auth'];
  /** The amount that the payer approved (wallet-b), with the ISO 4217 numeric code of its currency. */
  readonly approved: { readonly totalMinor: number; readonly currencyNumber: string };
  readonly broken?: MintedKind | undefined;
}

export interface MintDeps {
  /** wallet-a encrypts for the recipient `gateway:<name>`. */
  readonly gatewayName: string;
  findIntegration(merchantId: number, walletType: WalletType): Promise<WalletIntegration | undefined>;
  /** Marks a token as used. */
  markUsed(use: {
    readonly walletType: WalletType;
    readonly uniqueId: string;
    readonly owner: string;
  }): Promise<unknown>;
}

/** Thrown when the merchant has no certificate yet, for which wallet-b would encrypt. */
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
