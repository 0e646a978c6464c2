/**
 * What a wallet token holds once it is verified and decrypted. A cryptogram is charged as a network token; a PAN-only
 * credential (`pan-only`) as a card, by the merchant's own rules (docs/api.md#wallet-a).
 */
interface CredentialNumber {
  readonly number: string;
  /** 1 to 12. */
  readonly expMonth: number;
  /** Four digits. */
  readonly expYear: number;
  /** Unique id of the token. A token whose id was seen before is a replay. */
  readonly uniqueId: string;
  readonly cardholderName?: string;
  /** What the payer saw and approved (wallet-b): minor units and the numeric ISO 4217 code. */
  readonly approved?: { readonly totalMinor: number; readonly currencyNumber: string };
}

export type WalletCredential = CredentialNumber &
  ({ readonly kind: 'cryptogram'; readonly cryptogram: string; readonly eci?: string } | { readonly kind: 'pan-only' });

/**
 * Why a token is refused. `unverifiable` means every cryptographic failure (signature, chain, MAC, key):
 * the sender of a forged token learns nothing from the difference.
 */
export type WalletRefusal =
  | 'malformed'
  /** wallet-b: chip data (`paymentDataType: EMV`), which no processor of this gateway takes. */
  | 'emv-data'
  | 'expired'
  | 'unverifiable'
  | 'wrong-merchant'
  | 'unknown-key'
  | 'certificate-expired';

export type OpenedToken =
  | { readonly kind: 'opened'; readonly credential: WalletCredential }
  | {
      readonly kind: 'refused';
      readonly reason: WalletRefusal;
      /**
       * For the operator's log: where reading the token threw, or that it took too long. Never the error itself, which may quote the
       * token.
       */
      readonly fault?: string;
    };

export const refused = (reason: WalletRefusal, fault?: string): OpenedToken => ({
  kind: 'refused',
  reason,
  ...(fault !== undefined && { fault }),
});
