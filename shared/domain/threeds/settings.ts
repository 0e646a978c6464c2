/** 3D Secure settings of one payment method of a merchant (docs/api.md#3ds-settings). */

import type { JsonValue } from '../json-metadata.js';

/** ISO 4217 alphabetic code to minor units: from this amount on 3D Secure is asked for. */
export type Thresholds = Readonly<Record<string, number>>;

/** Where a payment comes from: by API, or from a page of the gateway (checkout, payment link). */
export type ThreeDsChannel = 'api' | 'checkout';

export interface ThreeDsRules {
  /** false: every payment is asked for, whatever its amount. */
  readonly enabled: boolean;
  readonly tier: 'basic';
  readonly thresholds: Readonly<Record<ThreeDsChannel, Thresholds>>;
}

export interface ThreeDsSettings {
  /** Code of the provider in the catalogue. */
  readonly provider: string;
  /** What the provider needs to know of the merchant, by the names it gives; a list, so that no key is a path of a query. */
  readonly metadata: readonly { readonly k: string; readonly v: JsonValue }[];
  readonly enabled: boolean;
  readonly rules: ThreeDsRules;
}

/** A row of the catalogue of providers. */
export interface ThreeDsProviderRow {
  readonly name: string;
  readonly code: string;
  readonly enabled: boolean;
  /** Keys that `metadata` must have. */
  readonly requiredFields: readonly string[];
  readonly supportedPaymentMethods: readonly string[];
}
