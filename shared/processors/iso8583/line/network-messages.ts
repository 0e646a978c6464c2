/** Messages about the connection itself: sign-on, echo, sign-off, key exchange, and the answers to the acquirer's own. */

import type { IsoTrace } from '../../../store/iso8583-exchange.model.js';
import type { IsoMessage } from '../codec/message.js';
import type { MessageKind, Profile } from '../profile/profile.js';
import { answerMti } from './mti.js';
import { localTimes, transmissionTime } from './times.js';

export interface Station {
  readonly terminal: string;
  readonly acquirerId: string;
  /** IANA name of the zone for local times in messages. */
  readonly timeZone: string;
}

type NetworkKind = Extract<MessageKind, 'signOn' | 'signOff' | 'echo' | 'keyExchange'>;

export function networkMessage(
  kind: NetworkKind,
  profile: Profile,
  { terminal, acquirerId, timeZone }: Station,
  { stan, at }: IsoTrace,
  more: Readonly<Record<number, string>> = {},
): IsoMessage {
  const { mti, fields } = profile.messages[kind];
  const times = profile.version === '1993' ? localTimes(at, timeZone, profile.version) : {};
  const own = { 7: transmissionTime(at), 11: stan, 32: acquirerId, 41: terminal.padEnd(8, ' '), ...times };
  return { mti, fields: { ...own, ...fields, ...more } };
}

const accepted = { '1987': '00', '1993': '800' } as const;
/** "Requested function not supported", "invalid transaction". */
const refused = { '1987': '40', '1993': '902' } as const;

/** Fields that an answer to a network message repeats. */
const REPEATED = [7, 11, 12, 24, 32, 33, 41, 70];

/** Whether a network message was accepted. The code of 1993 is 800, but some acquirers send 000. */
export const isAccepted = ({ fields }: IsoMessage): boolean => /^(00|000|800)$/.test(fields[39] ?? '');

/** Returns the purpose of a network message: its management code, or its function code if it has none. */
const codeOf = (fields: IsoMessage['fields']): string | undefined => fields[70] ?? fields[24];

const isAbout = (kind: NetworkKind, { fields }: IsoMessage, { messages }: Profile): boolean => {
  const code = codeOf(fields);
  return code !== undefined && code === codeOf(messages[kind].fields) && code !== codeOf(messages.echo.fields);
};

/** Whether the acquirer announces that it accepts no more messages on this connection. */
export const isSignOff = (message: IsoMessage, profile: Profile): boolean => isAbout('signOff', message, profile);

/** Whether the acquirer sends or asks for keys by itself. The gateway only takes keys that it has asked for. */
export const isKeyExchange = (message: IsoMessage, profile: Profile): boolean =>
  isAbout('keyExchange', message, profile) && !isSignOff(message, profile);

/** Builds the answer to a network message of the acquirer. */
export function networkAnswer(message: IsoMessage, profile: Profile): IsoMessage {
  const { mti, fields } = message;
  const repeated = REPEATED.flatMap((number) => (fields[number] === undefined ? [] : [[number, fields[number]]]));
  const codes = isKeyExchange(message, profile) ? refused : accepted;
  return { mti: answerMti(mti), fields: { ...Object.fromEntries(repeated), 39: codes[profile.version] } };
}
