/** An acquirer in this process, for what a real one does not do: it answers as the test says, or not at all. */

import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import { decodeMessage } from '../../../shared/processors/iso8583/codec/decode-message.js';
import { encodeMessage } from '../../../shared/processors/iso8583/codec/encode-message.js';
import { createFrameReader, frameMessage } from '../../../shared/processors/iso8583/codec/frame.js';
import type { IsoMessage } from '../../../shared/processors/iso8583/codec/message.js';
import { answerMti } from '../../../shared/processors/iso8583/line/mti.js';
import type { Profile } from '../../../shared/processors/iso8583/profile/profile.js';

/** What is sent for a message: an answer, bytes of any kind, or nothing. */
export type Behaviour = (message: IsoMessage, socket: Socket) => IsoMessage | Buffer | undefined;

export interface IsoPeer {
  readonly port: number;
  /** All that arrived, oldest first. */
  readonly received: readonly IsoMessage[];
  readonly sockets: ReadonlySet<Socket>;
  /** For messages that are not about the connection. */
  behave(behaviour: Behaviour): void;
  /** For those that are. */
  behaveOnNetwork(behaviour: Behaviour): void;
  send(message: IsoMessage): void;
  close(): Promise<void>;
}

/** The answer of an acquirer that approves everything. */
export function approve({ mti, fields }: IsoMessage, more: Readonly<Record<number, string>> = {}): IsoMessage {
  const { 2: _pan, 14: _expiry, 48: _private, ...rest } = fields;
  const code = mti[0] === '1' ? '000' : '00';
  return { mti: answerMti(mti), fields: { ...rest, 39: code, ...(mti[1] !== '8' && { 38: 'A00001' }), ...more } };
}

export async function startIsoPeer(profile: Profile, tls?: TlsOptions): Promise<IsoPeer> {
  const received: IsoMessage[] = [];
  const sockets = new Set<Socket>();
  let behaviour: Behaviour = (message) => approve(message);
  let onNetwork: Behaviour = (message) => approve(message);
  const frame = (message: IsoMessage) => frameMessage(encodeMessage(message, profile), profile.framing);
  const accept = (socket: Socket) => {
    sockets.add(socket);
    const frames = createFrameReader(profile.framing);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      for (const framed of frames.read(bytes)) {
        const message = decodeMessage(framed, profile);
        received.push(message);
        if (Number(message.mti[2]) % 2 === 1) continue;
        const answer = (message.mti[1] === '8' ? onNetwork : behaviour)(message, socket);
        if (answer !== undefined) socket.write(Buffer.isBuffer(answer) ? answer : frame(answer));
      }
    });
  };
  const server = tls ? createTlsServer(tls, accept) : createServer(accept);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    received,
    sockets,
    behave(next) {
      behaviour = next;
    },
    behaveOnNetwork(next) {
      onNetwork = next;
    },
    send(message) {
      for (const socket of sockets) socket.write(frame(message));
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
