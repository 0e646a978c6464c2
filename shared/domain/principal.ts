/** The caller: an API key of a client. */
export interface Principal {
  readonly clientId: string;
  readonly keyId: string;
  /** First key in the key's line of rotations, if that is another key: what belongs to the line belongs to this key. */
  readonly rootKeyId?: string;
  /** Merchants that the key may use: all merchants of its client, or only those granted to a secondary key. */
  readonly merchants: 'all' | readonly number[];
}

/** Whether the key was granted a merchant. Only for an object that was found among those of its client; else use {@link mayUseMerchant}. */
export const isGranted = ({ merchants }: Pick<Principal, 'merchants'>, merchantId: number): boolean =>
  merchants === 'all' || merchants.includes(merchantId);

/** Whether the key may use this merchant, given the client that owns the merchant. */
export function mayUseMerchant(principal: Principal, merchant: { id: number; clientId: string }): boolean {
  return merchant.clientId === principal.clientId && isGranted(principal, merchant.id);
}
