/**
 * Decides whether a payment is authenticated by 3D Secure (docs/decisions.md, "3D Secure"). Pure; the decision and its reason are
 * recorded on the payment. The conditions are checked from top to bottom, and the first that applies decides.
 */
import { clearable, count, flag, oneOf, optional, record, type Stored, text } from '../described.js';
import type { ThreeDsSettings } from './settings.js';

export const authenticationReasons = [
  'external-authentication',
  'merchant-initiated',
  'verification',
  'disabled-for-session',
  'token-cryptogram',
  'card-not-known',
  'issuer-required',
  'always',
  'amount-at-threshold',
  'amount-below-threshold',
  'no-threshold-for-currency',
] as const;
export type AuthenticationReason = (typeof authenticationReasons)[number];

/** Where the card comes from, as far as the decision needs it. A wallet's token has to be opened before its source is known. */
const authenticationSources = [
  'card',
  'token',
  'network-token',
  'click-to-pay-token',
  'wallet-cryptogram',
  'wallet-pan-only',
] as const;
export type AuthenticationSource = (typeof authenticationSources)[number];

/** Stored with a payment until the rules are applied. */
export const authenticationFacts = record({
  /** Where the payment comes from: the API, or a page of the gateway (checkout, payment link). */
  channel: oneOf('api', 'checkout'),
  source: oneOf(...authenticationSources),
  amountMinor: count,
  /** ISO 4217 alphabetic code. */
  currency: text,
  purpose: oneOf('payment', 'verification'),
  /** Whether the session of the payment has `disableThreeds`. */
  disabledForSession: flag,
  recurring: clearable(oneOf('initial', 'subsequent')),
  /** Whether the merchant sent the result of its own authentication. */
  external: flag,
  /** Set when the issuer declined the card in the payer's try before, because the payer was not authenticated (soft decline). */
  issuerRequired: optional(flag),
});
export interface AuthenticationFacts extends Stored<typeof authenticationFacts> {}

export interface AuthenticationDecision {
  readonly required: boolean;
  readonly reason: AuthenticationReason;
}

const skip = (reason: AuthenticationReason): AuthenticationDecision => ({ required: false, reason });

function byRules(facts: AuthenticationFacts, { rules }: ThreeDsSettings): AuthenticationDecision {
  if (!rules.enabled) return { required: true, reason: 'always' };
  const thresholds = rules.thresholds[facts.channel];
  const threshold = Object.hasOwn(thresholds, facts.currency) ? thresholds[facts.currency] : undefined;
  if (threshold === undefined) return skip('no-threshold-for-currency');
  return facts.amountMinor >= threshold
    ? { required: true, reason: 'amount-at-threshold' }
    : skip('amount-below-threshold');
}

/**
 * Returns the decision, or `undefined` when there is nothing to decide: the payment method has no 3D Secure and the merchant sent no
 * result of its own.
 * @param settings of the payment method; `undefined` when it has none.
 */
export function decideAuthentication(
  facts: AuthenticationFacts,
  settings: ThreeDsSettings | undefined,
): AuthenticationDecision | undefined {
  if (facts.external) return skip('external-authentication');
  if (!settings?.enabled) return undefined;
  // No payer is present who could answer.
  if (facts.recurring === 'subsequent') return skip('merchant-initiated');
  // There is no page to return to, and no money moves: the hold is released at once.
  if (facts.purpose === 'verification') return skip('verification');
  if (facts.disabledForSession) return skip('disabled-for-session');
  // The cryptogram is the proof of an authentication that the device or the token requestor did.
  if (facts.source === 'network-token' || facts.source === 'wallet-cryptogram') return skip('token-cryptogram');
  // Only the processor learns which card it is.
  if (facts.source === 'click-to-pay-token') return skip('card-not-known');
  // The rules did not ask for it, and the issuer declined the card for that.
  if (facts.issuerRequired) return { required: true, reason: 'issuer-required' };
  return byRules(facts, settings);
}
