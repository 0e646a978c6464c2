/** The messages between the sandbox adapter and the test issuer: the part of EMV 3DS 2.2 that is needed here. */
export const MESSAGE_VERSION = '2.2.0';

/** The part of the card range that a 3DS server knows from the directory (PRes). */
export interface CardRange {
  readonly threeDSServerTransID: string;
  /** Absent: the issuer does not want to inspect the browser. */
  readonly threeDSMethodURL?: string;
}

/** `threeDSMethodData` on its way to the issuer, through the payer's browser; the way back carries only the id. */
export interface MethodData {
  readonly threeDSServerTransID: string;
  readonly threeDSMethodNotificationURL: string;
}

export interface AReq {
  readonly messageType: 'AReq';
  readonly messageVersion: string;
  readonly threeDSServerTransID: string;
  /** 02: browser. */
  readonly deviceChannel: '02';
  /** 01: payment. */
  readonly messageCategory: '01';
  /** Y, N: the method URL was called, and the issuer confirmed that or did not. U: it was not called; the API has no browser for it. */
  readonly threeDSCompInd: 'Y' | 'N' | 'U';
  readonly threeDSRequestorAuthenticationInd: '01' | '02';
  readonly acctNumber: string;
  /** YYMM */
  readonly cardExpiryDate: string;
  readonly cardholderName?: string;
  /** Minor units, digits only. */
  readonly purchaseAmount: string;
  /** ISO 4217 numeric code. */
  readonly purchaseCurrency: string;
  readonly purchaseExponent: string;
  readonly acquirerBIN: string;
  readonly acquirerMerchantID: string;
  /** Name that the payer knows. */
  readonly merchantName: string;
  readonly notificationURL: string;
  readonly browserIP?: string;
  readonly browserUserAgent?: string;
}

interface Identified {
  readonly messageVersion: string;
  readonly threeDSServerTransID: string;
  readonly dsTransID: string;
  readonly acsTransID: string;
  readonly purchaseAmount: string;
  readonly purchaseCurrency: string;
}

export interface ARes extends Identified {
  readonly messageType: 'ARes';
  readonly transStatus: 'Y' | 'A' | 'C' | 'N' | 'R' | 'U';
  readonly eci?: string;
  readonly authenticationValue?: string;
  readonly acsURL?: string;
}

/** The result after a challenge. */
export interface RReq extends Identified {
  readonly messageType: 'RReq';
  readonly transStatus: 'Y' | 'A' | 'N' | 'R' | 'U';
  readonly eci?: string;
  readonly authenticationValue?: string;
  /** 01: the payer cancelled. 04: the payer left. */
  readonly challengeCancel?: '01' | '04';
}

/** Sent through the payer's browser. */
export interface CReq {
  readonly messageType: 'CReq';
  readonly messageVersion: string;
  readonly threeDSServerTransID: string;
  readonly acsTransID: string;
  /** 05: full screen. */
  readonly challengeWindowSize: '01' | '02' | '03' | '04' | '05';
}

/** Sent through the payer's browser: it says that the challenge is over, and proves nothing. */
export interface CRes {
  readonly messageType: 'CRes';
  readonly messageVersion: string;
  readonly threeDSServerTransID: string;
  readonly acsTransID: string;
  /** Y: the challenge is over. */
  readonly challengeCompletionInd: 'Y';
  readonly transStatus: 'Y' | 'N';
}

export interface ErrorMessage {
  readonly messageType: 'Erro';
  readonly messageVersion: string;
  readonly threeDSServerTransID: string;
  readonly errorCode: string;
}
