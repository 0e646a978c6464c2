/** A profile in the form in which a file contains it. */
import Joi from 'joi';
import type { BcdPadding, BinaryEncoding, DigitEncoding, LengthEncoding, TextEncoding } from './field-format.js';
import {
  type AnsweredPart,
  answered,
  type Framing,
  type MessageKind,
  type MessageShape,
  messageKinds,
  type Placed,
  placed,
  type TaggedField,
} from './profile.js';

/** The notation with the field's name, or an object when the field is encoded in another way than the others. */
export type FieldSource =
  | string
  | readonly [notation: string, name: string]
  | {
      readonly format: string;
      readonly name?: string;
      readonly text?: TextEncoding;
      readonly digits?: DigitEncoding;
      readonly lengths?: LengthEncoding;
      readonly binary?: BinaryEncoding;
      readonly padding?: BcdPadding;
    };

export interface ProfileSource {
  readonly version: '1987' | '1993';
  readonly framing: Framing;
  readonly text: TextEncoding;
  readonly digits: DigitEncoding;
  readonly lengths: LengthEncoding;
  readonly bitmap: BinaryEncoding;
  readonly binary: BinaryEncoding;
  /** Padding of the message type and of fields with a fixed length; default `left-0`. */
  readonly padding?: BcdPadding;
  /** Padding of fields with a variable length; default `right-0`. */
  readonly variablePadding?: BcdPadding;
  readonly fields: Readonly<Record<number, FieldSource>>;
  readonly tagged?: Readonly<Record<number, TaggedField>>;
  readonly messages: Readonly<Record<MessageKind, MessageShape>>;
  /** Places of values in requests: `48` is a field, `48.92` a tag in it. */
  readonly places?: Readonly<Partial<Record<Placed, string>>>;
  /** Places of values in answers, in the same form. */
  readonly answers?: Readonly<Partial<Record<AnsweredPart, string>>>;
  readonly mac?: boolean;
  readonly signsOff?: boolean;
}

type Constants = Readonly<Record<number, string | null>>;

export interface MessageChange {
  readonly mti?: string;
  readonly fields?: Constants;
  readonly otherAmount?: Constants;
}

/** Contents of a file: the profile to extend and the differences from it. `null` removes a field or a place. */
export interface ProfileFile
  extends Partial<Omit<ProfileSource, 'fields' | 'messages' | 'places' | 'answers' | 'framing'>> {
  readonly name: string;
  readonly extends: string;
  readonly framing?: Partial<Framing>;
  readonly fields?: Readonly<Record<number, FieldSource | null>>;
  readonly messages?: Readonly<Partial<Record<MessageKind, MessageChange>>>;
  readonly places?: Readonly<Partial<Record<Placed, string | null>>>;
  readonly answers?: Readonly<Partial<Record<AnsweredPart, string | null>>>;
}

const text = Joi.valid('ascii', 'ebcdic');
const digits = Joi.valid('ascii', 'ebcdic', 'bcd');
const lengths = Joi.valid('ascii', 'ebcdic', 'bcd', 'binary');
const binary = Joi.valid('raw', 'hex');
const padding = Joi.valid('left-0', 'right-0', 'right-f');
const notation = Joi.string().max(16);
const fieldNumber = /^([2-9]|[1-9]\d|1[01]\d|12[0-8])$/;

const field = Joi.alternatives(
  notation,
  Joi.array().ordered(notation.required(), Joi.string().max(60).required()),
  Joi.object({ format: notation.required(), name: Joi.string().max(60), text, digits, lengths, binary, padding }),
);

const constants = Joi.object().pattern(fieldNumber, Joi.string().max(999).allow(null));
const message = Joi.object({
  mti: Joi.string().pattern(/^\d{4}$/),
  fields: constants,
  otherAmount: constants,
});

const place = Joi.string()
  .pattern(/^\d{1,3}(\.\w{1,4})?$/)
  .allow(null);

export const profileFileSchema = Joi.object<ProfileFile>({
  name: Joi.string().max(60).required(),
  extends: Joi.string().max(60).required(),
  framing: Joi.object({
    lengthBytes: Joi.valid(2, 4),
    lengthEncoding: Joi.valid('binary', 'ascii', 'bcd'),
    lengthIncludesItself: Joi.boolean(),
    tpdu: Joi.string().pattern(/^[0-9A-Fa-f]{10}$/),
  }),
  text,
  digits,
  lengths,
  bitmap: binary,
  binary,
  padding,
  variablePadding: padding,
  fields: Joi.object().pattern(fieldNumber, field.allow(null)),
  tagged: Joi.object().pattern(
    fieldNumber,
    Joi.object({
      tagLength: Joi.number().integer().min(1).max(4).required(),
      lengthDigits: Joi.number().integer().min(1).max(3).required(),
    }),
  ),
  messages: Joi.object(Object.fromEntries(messageKinds.map((kind) => [kind, message]))),
  places: Joi.object(Object.fromEntries(placed.map((what) => [what, place]))),
  answers: Joi.object(Object.fromEntries(answered.map((what) => [what, place]))),
  mac: Joi.boolean(),
  signsOff: Joi.boolean(),
});
