/** An acquirer's dialect of ISO 8583 as data: how messages are framed, how fields are written, and what each operation is made of. */
import type {
  BcdPadding,
  BinaryEncoding,
  DigitEncoding,
  FieldFormat,
  LengthEncoding,
  TextEncoding,
} from './field-format.js';

export interface Field extends FieldFormat {
  readonly number: number;
  readonly name: string;
  readonly text: TextEncoding;
  readonly digits: DigitEncoding;
  readonly lengths: LengthEncoding;
  readonly binary: BinaryEncoding;
  readonly padding: BcdPadding;
}

export interface Framing {
  readonly lengthBytes: 2 | 4;
  readonly lengthEncoding: 'binary' | 'ascii' | 'bcd';
  readonly lengthIncludesItself: boolean;
  /** Five bytes before each message, as ten hexadecimal digits. */
  readonly tpdu?: string;
}

/** What a message is made of beside what the operation itself brings. */
export interface MessageShape {
  /** Message type of the first sending; a repeat has 1 as its last digit. */
  readonly mti: string;
  /** Fields with a constant value. */
  readonly fields: Readonly<Record<number, string>>;
  /** Those that are others where the amount is not that of the original. */
  readonly otherAmount?: Readonly<Record<number, string>>;
}

export const messageKinds = [
  'purchase',
  'authorization',
  'verification',
  'capture',
  'cancel',
  'refund',
  'reversal',
  'signOn',
  'signOff',
  'echo',
  'keyExchange',
] as const;
export type MessageKind = (typeof messageKinds)[number];

/**
 * What an authorization may carry beside card and amount; where, is a matter of the acquirer: a field, or a tagged part of one.
 * `refuse`: without a place the payment fails before anything is sent, because it would be one with other conditions, another proof
 * or another agreement. `leave-out`: it describes the payment or its payer, and the payment is the same without it.
 */
export const withoutPlace = {
  cvc: 'refuse',
  threeDsVersion: 'refuse',
  eci: 'refuse',
  authenticationValue: 'refuse',
  dsTransactionId: 'refuse',
  exemption: 'refuse',
  cryptogram: 'refuse',
  installments: 'refuse',
  installmentPlan: 'refuse',
  taxLaw: 'refuse',
  storedCredential: 'refuse',
  initiator: 'refuse',
  storedReason: 'refuse',
  networkTransactionId: 'refuse',
  networkLinkId: 'refuse',
  facilitatorId: 'refuse',
  subMerchantId: 'refuse',
  merchantName: 'leave-out',
  statementDescriptor: 'leave-out',
  invoiceNumber: 'leave-out',
  referenceId: 'leave-out',
  tip: 'leave-out',
  taxAmount: 'leave-out',
  taxedAmount: 'leave-out',
  surcharge: 'leave-out',
  address: 'leave-out',
  postalCode: 'leave-out',
  email: 'leave-out',
  phone: 'leave-out',
  document: 'leave-out',
  ipAddress: 'leave-out',
} as const satisfies Record<string, 'refuse' | 'leave-out'>;
export type Placed = keyof typeof withoutPlace;
export const placed = Object.keys(withoutPlace) as readonly Placed[];

/** What an answer may carry beside its outcome. */
export const answered = [
  'networkTransactionId',
  'networkLinkId',
  'avs',
  'cvcResult',
  'adviceCode',
  'updatedExpiry',
] as const;
export type AnsweredPart = (typeof answered)[number];

export interface Place {
  readonly field: number;
  /** Absent: the whole field. */
  readonly tag?: string;
}

/** A field that holds tagged parts: tag, length in decimal digits, value; one after the other. */
export interface TaggedField {
  readonly tagLength: number;
  readonly lengthDigits: number;
}

export interface Profile {
  readonly name: string;
  readonly version: '1987' | '1993';
  readonly framing: Framing;
  readonly text: TextEncoding;
  readonly digits: DigitEncoding;
  readonly bitmap: BinaryEncoding;
  readonly padding: BcdPadding;
  /** By number; 1 is the bitmap and absent. */
  readonly fields: ReadonlyMap<number, Field>;
  readonly tagged: Readonly<Record<number, TaggedField>>;
  readonly messages: Readonly<Record<MessageKind, MessageShape>>;
  readonly places: Readonly<Partial<Record<Placed, Place>>>;
  readonly answers: Readonly<Partial<Record<AnsweredPart, Place>>>;
  /** The last field of every message is a message authentication code, made by a hook. */
  readonly mac: boolean;
  /** A connection signs off before it is closed. At many acquirers that ends the station on all of its connections. */
  readonly signsOff: boolean;
}
