/** Who is calling: an API key of a client. */
export interface Principal {
  readonly clientId: string;
  readonly keyId: string;
  /** First key of its line of rotations, when it is another one: what belongs to that line is the key's own. */
  readonly rootKeyId?: string;
  /** Merchants the key may use: all of its client, or only those granted to a secondary key. */
  readonly merchants: 'all' | readonly number[];
}

/** Whether the key was granted a merchant. Asked of what was found among its client's objects; else see {@link mayUseMerchant}. */
export const isGranted = ({ merchants }: Pick<Principal, 'merchants'>, merchantId: number): boolean =>
  merchants === 'all' || merchants.includes(merchantId);

/** Whether the key may use this merchant, given the client that owns the merchant. */
export function mayUseMerchant(principal: Principal, merchant: { id: number; clientId: string }): boolean {
  return merchant.clientId === principal.clientId && isGranted(principal, merchant.id);
}
