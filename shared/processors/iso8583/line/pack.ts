/** Converts messages to framed bytes and back, with a message authentication code if the profile has one. */
import { CodecError } from '../codec/codec-error.js';
import { decodeMessage } from '../codec/decode-message.js';
import { encodeMessage } from '../codec/encode-message.js';
import { frameMessage } from '../codec/frame.js';
import { FIELD_MAX, type IsoMessage } from '../codec/message.js';
import type { Profile } from '../profile/profile.js';
import type { IsoHooks } from './hooks.js';

const HALF = 64;
const MAC_DIGITS = 16;
const NO_MAC = '0'.repeat(MAC_DIGITS);

const macField = ({ fields }: IsoMessage): number =>
  Object.keys(fields).some((number) => Number(number) > HALF) ? FIELD_MAX : HALF;

export interface Packer {
  /** @throws {CodecError} */
  pack(message: IsoMessage): Buffer;
  /** @throws {CodecError} */
  unpack(bytes: Buffer): IsoMessage;
}

export function createPacker(profile: Profile, { mac }: IsoHooks): Packer {
  if (!profile.mac) {
    return {
      pack: (message) => frameMessage(encodeMessage(message, profile), profile.framing),
      unpack: (bytes) => decodeMessage(bytes, profile),
    };
  }
  if (!mac) throw new Error(`the profile ${profile.name} has message authentication codes, and no hook makes them`);
  return {
    pack(message) {
      const field = macField(message);
      const unsigned = { ...message, fields: { ...message.fields, [field]: NO_MAC } };
      const bytes = encodeMessage(unsigned, profile);
      const signed = { ...message, fields: { ...message.fields, [field]: mac.make(contentOf(bytes, field, profile)) } };
      return frameMessage(encodeMessage(signed, profile), profile.framing);
    },
    unpack(bytes) {
      const message = decodeMessage(bytes, profile);
      const field = macField(message);
      const given = message.fields[field];
      if (given === undefined || !mac.isValid(contentOf(bytes, field, profile), given)) {
        throw new CodecError('is not the authentication code of the message', bytes.length, field);
      }
      return message;
    },
  };
}

/** Returns the bytes before the authentication code, which is the last field. */
function contentOf(bytes: Buffer, field: number, profile: Profile): Buffer {
  const width = profile.fields.get(field)?.binary === 'raw' ? MAC_DIGITS / 2 : MAC_DIGITS;
  return bytes.subarray(0, bytes.length - width);
}
