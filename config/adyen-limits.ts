/** Bounds of the `adyen` processor. */
export const adyenLimits = {
  /** Adyen remembers an idempotency key for seven days at least. Some hours before that, nothing is sent again under one. */
  keysRememberedMs: 6 * 24 * 3_600_000,
  /** Items of one notification; Adyen sends few. */
  notificationItemsMax: 100,
} as const;
