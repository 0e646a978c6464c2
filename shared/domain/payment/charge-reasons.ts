/** Reasons that a merchant gives to issuers and card networks: why a stored card is charged, and why the payer is not authenticated. */

/** Why a stored card is charged, as card networks distinguish it. */
export const recurringReasons = ['unscheduled', 'recurring', 'installment'] as const;

/** Why the payer need not be authenticated, as the merchant claims. */
export const exemptions = [
  'low-value',
  'transaction-risk-analysis',
  'recurring',
  'trusted-beneficiary',
  'secure-corporate',
  'delegated-authentication',
] as const;
export type Exemption = (typeof exemptions)[number];
