/** What travels between the pool and its thread. */
import type { WalletType } from '../../shared/domain/wallet/integration.js';
import type { OpenedToken } from '../../shared/wallets/credential.js';
import type { WalletTrustTexts } from '../../shared/wallets/load-trust.js';

export interface ThreadRequest {
  readonly id: number;
  readonly walletType: WalletType;
  /** As it was sent. */
  readonly token: string;
  readonly merchantId: number;
  readonly nowMs: number;
  /** Of wallet-b. */
  readonly keys: readonly {
    readonly publicKeyHash: string;
    /** PKCS#8 */
    readonly privateKey: Uint8Array;
    readonly merchantIdentifier: string;
    readonly expiresAtMs: number;
  }[];
}

/** The first that the thread says: from now on it opens tokens. */
export interface ThreadReady {
  readonly ready: true;
}

export interface ThreadAnswer {
  readonly id: number;
  readonly result: OpenedToken;
}

/** What the tokens after it are judged by. */
export interface ThreadTrust {
  readonly trust: WalletTrustTexts;
}
