/** The messages between the gateway and a 3D Secure server: EMV 3DS 2.1 and 2.2 as JSON, for payments in a browser. */

/** Newest first: the first version that both directory and issuer accept is used. */
export const messageVersions = ['2.2.0', '2.1.0'] as const;
export type MessageVersion = (typeof messageVersions)[number];

/** Answer to `preauth`: the range to which the card belongs (CRD). */
export interface CardRange {
  readonly messageType: 'CRD';
  readonly threeDSServerTransID: string;
  readonly acsStartProtocolVersion: string;
  readonly acsEndProtocolVersion: string;
  readonly dsStartProtocolVersion: string;
  readonly dsEndProtocolVersion: string;
  readonly dsProtocolVersions?: readonly string[];
  /** Each version may have its own address of the 3DS method; `threeDSMethodURL` of the range is for the versions without one. */
  readonly acsProtocolVersions?: readonly { readonly version: string; readonly threeDSMethodURL?: string }[];
  readonly threeDSMethodURL?: string;
}

interface Phone {
  readonly cc: string;
  readonly subscriber: string;
}

/** Addresses have numeric country codes, and at most three characters for a state. */
type AddressOf<Prefix extends 'bill' | 'ship'> = {
  readonly [Field in
    | 'City'
    | 'Country'
    | 'Line1'
    | 'Line2'
    | 'Line3'
    | 'PostCode'
    | 'State' as `${Prefix}Addr${Field}`]?: string;
};

export interface BrowserFields {
  readonly browserAcceptHeader: string;
  readonly browserIP?: string;
  readonly browserLanguage: string;
  readonly browserUserAgent: string;
  /** Not in 2.1.0, which does not support browsers without scripts. */
  readonly browserJavascriptEnabled?: boolean;
  /** This and the following fields: only when scripts run. */
  readonly browserJavaEnabled?: boolean;
  readonly browserColorDepth?: string;
  readonly browserScreenHeight?: string;
  readonly browserScreenWidth?: string;
  readonly browserTZ?: string;
}

/** Fields that identify a person. */
export interface PayerFields extends AddressOf<'bill'>, AddressOf<'ship'> {
  readonly cardholderName?: string;
  readonly email?: string;
  readonly mobilePhone?: Phone;
  readonly addrMatch?: 'Y' | 'N';
}

export interface AReq extends BrowserFields, PayerFields {
  readonly messageType: 'AReq';
  readonly messageVersion: MessageVersion;
  readonly threeDSServerTransID: string;
  /** 02: browser. */
  readonly deviceChannel: '02';
  /** 01: payment. */
  readonly messageCategory: '01';
  readonly threeDSCompInd: 'Y' | 'N' | 'U';
  /** 01: payment, 02: recurring, 03: instalments. */
  readonly threeDSRequestorAuthenticationInd: '01' | '02' | '03';
  readonly threeDSRequestorChallengeInd?: string;
  /** 2.2.0: no other channel than the browser (decoupled authentication). */
  readonly threeDSRequestorDecReqInd?: 'N';
  readonly threeDSRequestorID?: string;
  readonly threeDSRequestorName?: string;
  readonly threeDSRequestorURL: string;
  readonly acctNumber: string;
  /** YYMM */
  readonly cardExpiryDate: string;
  readonly purchaseAmount: string;
  readonly purchaseCurrency: string;
  readonly purchaseExponent: string;
  /** YYYYMMDDHHMMSS, UTC. */
  readonly purchaseDate: string;
  readonly purchaseInstalData?: string;
  /** YYYYMMDD */
  readonly recurringExpiry?: string;
  /** Days. */
  readonly recurringFrequency?: string;
  readonly transType: string;
  readonly acquirerBIN: string;
  readonly acquirerMerchantID: string;
  readonly mcc: string;
  readonly merchantCountryCode: string;
  readonly merchantName: string;
  readonly notificationURL: string;
}

interface Identified {
  readonly messageVersion: string;
  readonly threeDSServerTransID: string;
  readonly dsTransID: string;
  readonly acsTransID: string;
  /** Not part of EMV: some servers repeat them, and then they have to be correct. */
  readonly purchaseAmount?: string;
  readonly purchaseCurrency?: string;
  readonly eci?: string;
  readonly authenticationValue?: string;
}

export interface ARes extends Identified {
  readonly messageType: 'ARes';
  /** D, I: 2.2.0 only. */
  readonly transStatus: 'Y' | 'A' | 'C' | 'N' | 'R' | 'U' | 'D' | 'I';
  readonly acsURL?: string;
}

/** Answer to `postauth`: the result after a challenge. */
export interface RReq extends Identified {
  readonly messageType: 'RReq';
  readonly transStatus: 'Y' | 'A' | 'N' | 'R' | 'U';
  readonly challengeCancel?: string;
}

export interface ErrorMessage {
  readonly messageType: 'Erro';
  readonly errorCode: string;
  readonly errorComponent?: string;
  readonly errorDescription?: string;
  readonly threeDSServerTransID?: string;
}
