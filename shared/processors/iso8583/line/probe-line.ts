/**
 * Checks whether the acquirer answers: sends one echo on a separate connection, without sign-on and sign-off. These may apply to all
 * connections of a station, so a probe would sign the workers off.
 */
import { randomInt } from 'node:crypto';
import { iso8583Limits } from '../../../../config/iso8583-limits.js';
import type { ProbeResult } from '../../answers.js';
import type { LineOptions } from './line.js';
import { isAccepted, networkMessage } from './network-messages.js';
import { createPacker } from './pack.js';
import { openSession, type Session } from './session.js';
import { openSocket } from './socket.js';

const unreachable = (internal: string): ProbeResult => ({ kind: 'unreachable', internal });

async function echo(session: Session, { profile, station }: LineOptions): Promise<ProbeResult> {
  // A random STAN is enough for the only message of a connection, and does not use up those of the terminal.
  const stan = String(randomInt(1, iso8583Limits.stanMax)).padStart(6, '0');
  const message = networkMessage('echo', profile, station, { stan, at: new Date() });
  const startedMs = performance.now();
  const result = await session.exchange(message, iso8583Limits.networkAnswerMs);
  if (result.kind !== 'answered') return unreachable(`it takes the connection and does not answer: ${result.internal}`);
  const ms = Math.round(performance.now() - startedMs);
  if (isAccepted(result.message)) return { kind: 'reachable', detail: `echo answered in ${ms} ms` };
  const code = result.message.fields[39] ?? 'no code';
  return { kind: 'reachable', detail: `echo answered in ${ms} ms with ${code}: it may want a sign-on first` };
}

export async function probeLine(options: LineOptions): Promise<ProbeResult> {
  const refused: string[] = [];
  const events = {
    message: () => undefined,
    refused: (reason: string) => void refused.push(reason),
    room: () => undefined,
    signedOff: () => undefined,
    closed: () => undefined,
  };
  let session: Session | undefined;
  try {
    const packer = createPacker(options.profile, options.hooks);
    session = openSession(await openSocket(options.address), options.profile, packer, events);
    const result = await echo(session, options);
    return result.kind === 'unreachable' && refused[0] ? unreachable(refused[0]) : result;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return unreachable(code ?? message);
  } finally {
    session?.destroy('probed');
  }
}
