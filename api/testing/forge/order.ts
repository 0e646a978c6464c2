const brokenKinds = ['expired', 'wrong-recipient', 'bad-signature', 'tampered'] as const;

export const mintedKinds = [...brokenKinds, 'replayed'] as const;
export type MintedKind = (typeof mintedKinds)[number];

/** Content of a token for tests. */
export interface WalletOrder {
  readonly merchantId: number;
  readonly card: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly auth: 'CRYPTOGRAM_3DS' | 'PAN_ONLY';
  /** Proof of the payment (wallet-b): a cryptogram of 3D Secure, unless a test asks for chip data. */
  readonly paymentDataType?: '3DSecure' | 'EMV';
  readonly broken?: (typeof brokenKinds)[number];
  /** Two tokens with the same id: the second is a replay of the first. Hex for wallet-b. */
  readonly messageId?: string;
}
