export const brokenKinds = ['expired', 'wrong-recipient', 'bad-signature', 'tampered'] as const;

export const mintedKinds = [...brokenKinds, 'replayed'] as const;
export type MintedKind = (typeof mintedKinds)[number];

/** What a token for tests is to hold. */
export interface WalletOrder {
  readonly merchantId: number;
  readonly card: string;
  readonly expMonth: number;
  readonly expYear: number;
  readonly auth: 'CRYPTOGRAM_3DS' | 'PAN_ONLY';
  /** What secures the payment (wallet-b): a cryptogram of 3D Secure, unless a test asks for chip data. */
  readonly paymentDataType?: '3DSecure' | 'EMV';
  readonly broken?: (typeof brokenKinds)[number];
  /** Given twice, the second token is a replay of the first. wallet-b: hex. */
  readonly messageId?: string;
}
