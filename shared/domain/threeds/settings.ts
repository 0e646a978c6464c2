/** 3D Secure settings of one payment method of a merchant (docs/api.md#3ds-settings). */
import { count, flag, json, list, mapOf, oneOf, record, type Stored, text } from '../described.js';

/** Minor units by ISO 4217 alphabetic code: from this amount on, 3D Secure is required. */
const thresholds = mapOf(count);
export type Thresholds = Stored<typeof thresholds>;

const threeDsRules = record({
  /** false: every payment is authenticated, regardless of its amount. */
  enabled: flag,
  tier: oneOf('basic'),
  thresholds: record({ api: thresholds, checkout: thresholds }),
});

export const threeDsSettings = record({
  /** Code of the provider in the catalogue. */
  provider: text,
  /** What the provider needs to know about the merchant, under the provider's names. A list, so that no key becomes a path of a query. */
  metadata: list(record({ k: text, v: json })),
  enabled: flag,
  rules: threeDsRules,
});
export interface ThreeDsSettings extends Stored<typeof threeDsSettings> {}

/** A row of the catalogue of providers. */
export interface ThreeDsProviderRow {
  readonly name: string;
  readonly code: string;
  readonly enabled: boolean;
  /** Keys that `metadata` must have. */
  readonly requiredFields: readonly string[];
  readonly supportedPaymentMethods: readonly string[];
}
