import { readFileSync } from 'node:fs';
import { CodecError } from '../../../shared/processors/iso8583/codec/codec-error.js';
import { decodeMessage } from '../../../shared/processors/iso8583/codec/decode-message.js';
import { createFrameReader } from '../../../shared/processors/iso8583/codec/frame.js';
import { maskMessage } from '../../../shared/processors/iso8583/codec/mask-message.js';
import type { IsoMessage } from '../../../shared/processors/iso8583/codec/message.js';
import { loadProfile } from '../../../shared/processors/iso8583/profile/load-profile.js';
import type { Field, Profile } from '../../../shared/processors/iso8583/profile/profile.js';
import { ProfileError } from '../../../shared/processors/iso8583/profile/profile-error.js';
import { ProvisioningError } from '../../provisioning/provisioning.js';
import { type CommandGroup, type Row, UsageError } from '../command.js';
import { describeMti } from '../describe-mti.js';

const path = ['iso8583', 'decode'];
const STANDARD_INPUT = '-';
const STDIN = 0;

function bytesOf(word: string): Buffer {
  const text = (word === STANDARD_INPUT ? readFileSync(STDIN, 'latin1') : word).replace(/[\s:]|^0x/g, '');
  if (!/^([0-9A-Fa-f]{2})+$/.test(text)) throw new UsageError('<hex> is hexadecimal digits, two for each byte.', path);
  return Buffer.from(text, 'hex');
}

/** Returns the message behind the length header of the profile, when the bytes have one. */
function withoutHeader(bytes: Buffer, { framing }: Profile): Buffer | undefined {
  try {
    const reader = createFrameReader(framing);
    const [message, more] = reader.read(bytes);
    return more === undefined && reader.held === 0 ? message : undefined;
  } catch {
    return undefined;
  }
}

/** Decodes a message. People copy messages with the length header and without it. */
function read(bytes: Buffer, profile: Profile): IsoMessage {
  try {
    return decodeMessage(bytes, profile);
  } catch (error) {
    const message = withoutHeader(bytes, profile);
    if (message === undefined) throw error;
    return decodeMessage(message, profile);
  }
}

const formatOf = ({ kind, lengthDigits, length }: Field) => `${kind}${'.'.repeat(lengthDigits)}${length}`;

function rowsOf(message: IsoMessage, profile: Profile): Row[] {
  const { mti, fields } = maskMessage(message);
  const rows = Object.entries(fields).map(([number, value]) => {
    const field = profile.fields.get(Number(number)) as Field;
    return { field: Number(number), name: field.name, format: formatOf(field), value };
  });
  return [{ field: 'MTI', name: describeMti(mti), format: 'n4', value: mti }, ...rows];
}

export const iso8583: CommandGroup = {
  name: 'iso8583',
  summary: 'Messages of the processor iso8583 (docs/iso8583.md).',
  commands: [
    {
      path,
      summary: 'Shows the fields of an ISO 8583 message.',
      details:
        'Card data is masked: of a card number the first six and last four digits are shown, of tracks, PINs and fields that acquirers fill in their own way the length. A length header before the message is found by itself. The shell keeps what is typed: give a message with a real card number on the standard input.',
      words: [{ name: 'hex', about: 'The message in hexadecimal digits, or - to read it from the standard input.' }],
      options: {
        profile: {
          value: '<name>',
          about: 'A profile that comes with the gateway, or a file that ends in .json.',
          default: '1987-ascii',
        },
      },
      examples: [
        'iso8583 decode 08008220000000000000040000000000000011222230590000070301 --profile 1987-bcd',
        'iso8583 decode - --profile config/acme.json',
      ],
      reads: true,
      answer(input) {
        const bytes = bytesOf(input.word('hex'));
        try {
          const profile = loadProfile(input.text('profile'));
          return { kind: 'rows', rows: rowsOf(read(bytes, profile), profile), empty: '' };
        } catch (error) {
          if (error instanceof ProfileError)
            throw new UsageError(`The profile cannot be used: ${error.message}.`, path);
          if (!(error instanceof CodecError)) throw error;
          throw new ProvisioningError(`This is no message of the profile: ${error.message}.`);
        }
      },
    },
  ],
};
