/** An acquirer's dialect of ISO 8583 as data: framing of messages, encoding of fields, and the constant fields of each operation. */
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

/** Message type and constant fields of a message; the operation supplies the others. */
export interface MessageShape {
  /** Message type when first sent; a repeat has 1 as its last digit. */
  readonly mti: string;
  /** Fields with a constant value. */
  readonly fields: Readonly<Record<number, string>>;
  /** Constant fields that differ when the amount is not that of the original. */
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
 * Values that an authorization may have in addition to card and amount. The acquirer decides their place: a field, or a tag in one.
 * `refuse`: without a place the payment fails before anything is sent, because its conditions, proof or agreement would be different.
 * `leave-out`: the value only describes the payment or its payer, and the payment is the same without it.
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

/** Values that an answer may have in addition to its outcome. */
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
  /** Fields by number. Number 1 is the bitmap and is absent. */
  readonly fields: ReadonlyMap<number, Field>;
  readonly tagged: Readonly<Record<number, TaggedField>>;
  readonly messages: Readonly<Record<MessageKind, MessageShape>>;
  readonly places: Readonly<Partial<Record<Placed, Place>>>;
  readonly answers: Readonly<Partial<Record<AnsweredPart, Place>>>;
  /** Whether the last field of every message is a message authentication code, made by a hook. */
  readonly mac: boolean;
  /** Whether a connection signs off before it is closed. At many acquirers this signs the station off on all its connections. */
  readonly signsOff: boolean;
}
