/** A merchant and what it is configured for (docs/decisions.md, "merchant record", "merchant payment method"). */
import type { PaymentMethodId, PaymentMethodMode } from './payment-method-catalog.js';
import type { Route } from './routing/route.js';
import type { ThreeDsSettings } from './threeds/settings.js';

const INT32_MAX = 2 ** 31 - 1;

/** Reads a merchant id, a positive int32, from text. `undefined`: the text is not one. */
export function merchantIdOf(text: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : undefined;
  return id !== undefined && id <= INT32_MAX ? id : undefined;
}

/** `suspended`: no new payments; reads and refunds still work. */
export type MerchantStatus = 'active' | 'suspended';

/** What pages show of a shop beside its name, so that payers recognize the shop and can contact it. */
export interface PageContact {
  /** On one line: `Sarandí 690, Montevideo`. */
  readonly address?: string;
  readonly email?: string;
  /** As payers dial it: `+598 2915 0000`. */
  readonly phone?: string;
  /** `https` address of a page of the shop. */
  readonly url?: string;
}

export interface Merchant {
  /** int32, positive. */
  readonly id: number;
  readonly clientId: string;
  readonly name: string;
  readonly legalName?: string;
  readonly status: MerchantStatus;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string;
  /** ISO 4217 alphabetic code. */
  readonly defaultCurrency?: string;
  readonly taxId?: string;
  /** A path of the gateway (`/v1/public/…`) once a logo was uploaded, or an address that the operator set. */
  readonly logoUrl?: string;
  readonly logoContentType?: string;
  readonly logoUploadedAt?: Date;
  /** Origins of pages that may frame the embedded tokenization page: `https://shop.example`. */
  readonly embedOrigins?: readonly string[];
  /** Colour of the buttons on the merchant's hosted pages: six lowercase hexadecimal digits, without `#`. Absent: the gateway's colour. */
  readonly pageColor?: string | undefined;
  /** Shown on the merchant's hosted pages; set by the operator. */
  readonly pageContact?: PageContact | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** See docs/api.md#merchant-payment-methods. */
export interface PaymentMethodSettings {
  readonly merchantIdentificationNumber?: string;
  readonly terminalNumber?: string;
  /** `id` is the code of a processor adapter; in payment-facilitator mode only the acquirer is given. */
  readonly paymentProcessor?: { readonly id?: string; readonly acquirer: string };
  /** Tax id: 12 digits in the national format, 14 in the Brazilian one. */
  readonly rut?: string;
  /** ISO 18245, 4 digits. */
  readonly merchantCategoryCode?: string;
  readonly paymentFacilitator?: { readonly id: string; readonly merchantId: string };
  /** In order of preference, including `paymentProcessor`. Absent: `paymentProcessor` is the only route. */
  readonly routes?: readonly Route[];
  /** Whether another route may be tried after a decline that advises to retry. */
  readonly retrySoftDeclines?: boolean;
}

export interface MerchantPaymentMethod {
  readonly merchantId: number;
  readonly id: PaymentMethodId;
  readonly mode: PaymentMethodMode;
  readonly enabled: boolean;
  readonly settings: PaymentMethodSettings;
  /** Absent: 3D Secure was never configured for the method. */
  readonly threeDs?: ThreeDsSettings;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}
