/** Bounds of the `adyen` processor. */
export const adyenLimits = {
  /** Adyen remembers an idempotency key for at least seven days. A day before that the gateway stops sending again under the key. */
  keysRememberedMs: 6 * 24 * 3_600_000,
  /** An authorization without an outcome is sent again after this at the latest, while the payment may still be authorized (ms). */
  authorizationAgainMs: 3 * 60_000,
  /** Items of one notification; Adyen sends few. */
  notificationItemsMax: 100,
} as const;
