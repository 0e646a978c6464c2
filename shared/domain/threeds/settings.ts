/** 3D Secure settings of one payment method of a merchant (docs/api.md#3ds-settings). */
import { count, flag, json, list, mapOf, oneOf, record, type Stored, text } from '../described.js';

/** ISO 4217 alphabetic code to minor units: from this amount on 3D Secure is asked for. */
const thresholds = mapOf(count);
export type Thresholds = Stored<typeof thresholds>;

const threeDsRules = record({
  /** false: every payment is asked for, whatever its amount. */
  enabled: flag,
  tier: oneOf('basic'),
  thresholds: record({ api: thresholds, checkout: thresholds }),
});

export const threeDsSettings = record({
  /** Code of the provider in the catalogue. */
  provider: text,
  /** What the provider needs to know of the merchant, by the names it gives; a list, so that no key is a path of a query. */
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
