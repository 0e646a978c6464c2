/** The messages between the pool and its thread. */
import type { WalletType } from '../../shared/domain/wallet/integration.js';
import type { OpenedToken } from '../../shared/wallets/credential.js';
import type { WalletTrustTexts } from '../../shared/wallets/load-trust.js';

export interface ThreadRequest {
  readonly id: number;
  readonly walletType: WalletType;
  /** The token as it was sent. */
  readonly token: string;
  readonly merchantId: number;
  readonly nowMs: number;
  /** Keys of wallet-b. */
  readonly keys: readonly {
    readonly publicKeyHash: string;
    /** Private key, PKCS#8. */
    readonly privateKey: Uint8Array;
    readonly merchantIdentifier: string;
    readonly expiresAtMs: number;
  }[];
}

/** First message of the thread: from now on it opens tokens. */
export interface ThreadReady {
  readonly ready: true;
}

export interface ThreadAnswer {
  readonly id: number;
  readonly result: OpenedToken;
}

/** The roots and keys by which the following tokens are judged. */
export interface ThreadTrust {
  readonly trust: WalletTrustTexts;
}
