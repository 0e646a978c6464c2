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

/** What an authorization may carry and where is a matter of the acquirer: a field, or a tagged part of one. */
export const placed = [
  'cvc',
  'threeDsVersion',
  'eci',
  'authenticationValue',
  'dsTransactionId',
  'cryptogram',
  'installments',
  'statementDescriptor',
  'storedCredential',
  'networkTransactionId',
] as const;
export type Placed = (typeof placed)[number];

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
  /** The last field of every message is a message authentication code, made by a hook. */
  readonly mac: boolean;
}
