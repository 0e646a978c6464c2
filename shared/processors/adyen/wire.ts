/**
 * Messages between the adapter and Adyen's Checkout API, version 71: the part of the published OpenAPI that is used here, with
 * Adyen's names. A test compares every request with the models of Adyen's own library.
 */
export interface AdyenAmount {
  readonly currency: string;
  /** In minor units as Adyen counts them (`currency.ts`). */
  readonly value: number;
}

export interface AdyenAddress {
  readonly street: string;
  readonly houseNumberOrName: string;
  readonly city: string;
  readonly postalCode: string;
  readonly country: string;
  readonly stateOrProvince?: string;
}

export interface AdyenCard {
  readonly type: 'scheme' | 'networkToken';
  readonly number: string;
  readonly expiryMonth: string;
  readonly expiryYear: string;
  /** The wallet whose token the gateway opened. */
  readonly brand?: 'googlepay' | 'applepay';
  readonly cvc?: string;
  readonly holderName?: string;
}

type TransStatus = 'Y' | 'N' | 'U' | 'A';

/** Proof of an authentication made elsewhere (also on a wallet's device), and the cryptogram of a network token. */
export interface AdyenMpiData {
  readonly cavv?: string;
  readonly eci?: string;
  readonly dsTransID?: string;
  readonly threeDSVersion?: string;
  readonly directoryResponse?: TransStatus | 'C' | 'R' | 'I' | 'D';
  readonly authenticationResponse?: TransStatus;
  readonly tokenAuthenticationVerificationValue?: string;
}

export interface AdyenLineItem {
  readonly id?: string;
  readonly description: string;
  readonly quantity: number;
  readonly amountIncludingTax?: number;
  readonly taxAmount?: number;
}

export interface AdyenSubMerchant {
  readonly id: string;
  readonly name: string;
  readonly mcc?: string;
  readonly amount: AdyenAmount;
}

export interface AdyenPayment {
  readonly amount: AdyenAmount;
  readonly merchantAccount: string;
  readonly reference: string;
  readonly returnUrl: string;
  readonly paymentMethod: AdyenCard;
  readonly authenticationData: { readonly attemptAuthentication: 'never' };
  readonly captureDelayHours?: 0;
  readonly additionalData?: Readonly<Record<string, string>>;
  readonly mpiData?: AdyenMpiData;
  readonly shopperInteraction: 'Ecommerce' | 'ContAuth';
  readonly recurringProcessingModel?: 'CardOnFile' | 'Subscription' | 'UnscheduledCardOnFile';
  readonly shopperReference?: string;
  readonly shopperStatement?: string;
  readonly shopperName?: { readonly firstName: string; readonly lastName: string };
  readonly shopperEmail?: string;
  readonly shopperIP?: string;
  readonly telephoneNumber?: string;
  readonly deviceFingerprint?: string;
  readonly billingAddress?: AdyenAddress;
  readonly deliveryAddress?: AdyenAddress;
  readonly lineItems?: readonly AdyenLineItem[];
  readonly metadata?: Readonly<Record<string, string>>;
  readonly merchantOrderReference?: string;
  readonly mcc?: string;
  readonly subMerchants?: readonly AdyenSubMerchant[];
  readonly installments?: { readonly value: number; readonly plan?: string };
  readonly surcharge?: { readonly value: number };
}

/** Request of a modification. Only captures and refunds have an amount. */
export interface AdyenModification {
  readonly merchantAccount: string;
  readonly reference: string;
  readonly amount?: AdyenAmount;
  readonly merchantRefundReason?: 'FRAUD' | 'CUSTOMER REQUEST' | 'RETURN' | 'DUPLICATE' | 'OTHER';
  /** Only for `/cancels`: our own reference of the payment. */
  readonly paymentReference?: string;
}

const modificationPaths = ['captures', 'cancels', 'refunds', 'reversals'] as const;
export type ModificationPath = (typeof modificationPaths)[number];

/** `PaymentResponse` */
export interface AdyenAnswer {
  readonly resultCode: string;
  readonly pspReference?: string;
  readonly merchantReference?: string;
  readonly amount?: AdyenAmount;
  readonly refusalReason?: string;
  readonly refusalReasonCode?: string;
  readonly additionalData?: Readonly<Record<string, string>>;
}

/** The answer to every modification: Adyen received the request, and a notification brings the outcome. */
export interface AdyenReceived {
  readonly status: 'received';
  readonly pspReference: string;
  readonly reference?: string;
  readonly paymentPspReference?: string;
  readonly paymentReference?: string;
  readonly amount?: AdyenAmount;
}

/** `ServiceError` */
export interface AdyenError {
  readonly errorCode: string;
  readonly errorType: string;
  readonly message?: string;
  readonly pspReference?: string;
}
