/** Messages about the connection itself: sign-on, echo, sign-off, key exchange, and the answers to the acquirer's own. */

import type { IsoTrace } from '../../../store/iso8583-exchange.model.js';
import type { IsoMessage } from '../codec/message.js';
import type { MessageKind, Profile } from '../profile/profile.js';
import { answerMti } from './mti.js';
import { localTimes, transmissionTime } from './times.js';

export interface Station {
  readonly terminal: string;
  readonly acquirerId: string;
  /** IANA name: local times of messages are of this zone. */
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

/** Fields that an answer to a network message repeats. */
const REPEATED = [7, 11, 12, 24, 32, 33, 41, 70];

/** The answer to a message of the acquirer about the connection. */
export function networkAnswer({ mti, fields }: IsoMessage, { version }: Profile): IsoMessage {
  const repeated = REPEATED.flatMap((number) => (fields[number] === undefined ? [] : [[number, fields[number]]]));
  return { mti: answerMti(mti), fields: { ...Object.fromEntries(repeated), 39: accepted[version] } };
}

/** 1993 has 800; 000 is met as well. */
export const isAccepted = ({ fields }: IsoMessage): boolean => /^(00|000|800)$/.test(fields[39] ?? '');

/** What a network message is about: the management code, or the function code where there is none. */
const codeOf = (fields: IsoMessage['fields']): string | undefined => fields[70] ?? fields[24];

/** Whether the acquirer says that it takes no more messages on this connection. */
export function isSignOff({ fields }: IsoMessage, { messages }: Profile): boolean {
  const code = codeOf(fields);
  return code !== undefined && code === codeOf(messages.signOff.fields) && code !== codeOf(messages.echo.fields);
}
