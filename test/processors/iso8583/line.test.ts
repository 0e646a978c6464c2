/** One or several connections to an acquirer that misbehaves as each test says. Without MongoDB: STANs are counted in memory. */

import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { iso8583Limits } from '../../../config/iso8583-limits.js';
import { encodeMessage } from '../../../shared/processors/iso8583/codec/encode-message.js';
import { frameMessage } from '../../../shared/processors/iso8583/codec/frame.js';
import type { IsoMessage } from '../../../shared/processors/iso8583/codec/message.js';
import type { LineOptions } from '../../../shared/processors/iso8583/line/line.js';
import { createLines, type Lines } from '../../../shared/processors/iso8583/line/lines.js';
import type { TlsFiles } from '../../../shared/processors/iso8583/line/socket.js';
import { builtInProfile, readProfile } from '../../../shared/processors/iso8583/profile/read-profile.js';
import type { LineEvent } from '../../../shared/processors/line-report.js';
import { makeCertificate, type TestCertificate } from '../../support/make-certificate.js';
import { until } from '../../support/patience.js';
import { keepingLog } from '../keeping-log.js';
import { approve, type IsoPeer, startIsoPeer } from './iso-peer.js';

const profile = builtInProfile('1987-bcd');
const TIMEOUT_MS = 2_000;
const SHORT_MS = 80;
const PAN = '4242424242424242';

let peer: IsoPeer;
let lines: Lines;
let log: ReturnType<typeof keepingLog>;
let stan: number;
let counted: Map<LineEvent, number>;

const trace = async () => {
  stan += 1;
  return { stan: String(stan).padStart(6, '0'), at: new Date(Date.UTC(2027, 0, 5, 10, 11, 12)) };
};

function open(more: Partial<LineOptions> = {}, count = 1): Lines {
  const station = { terminal: 'TERM0001', acquirerId: '400100', timeZone: 'UTC' };
  const address = { host: '127.0.0.1', port: peer.port };
  const base = { address, profile, station, hooks: {}, echoMs: 60_000, logMessages: true, log, next: trace };
  const tally = (event: LineEvent) => void counted.set(event, (counted.get(event) ?? 0) + 1);
  return createLines({ ...base, count: tally, ...more }, count);
}

async function purchase(): Promise<IsoMessage> {
  const { stan: number } = await trace();
  const fields = { 2: PAN, 3: '000000', 4: '000000001000', 7: '0105101112', 11: number, 41: 'TERM0001', 49: '840' };
  return { mti: '0200', fields };
}

async function send(timeoutMs = TIMEOUT_MS, message?: IsoMessage) {
  const place = await lines.reserve();
  if ('internal' in place) return { kind: 'not-sent', internal: place.internal } as const;
  return place.exchange(message ?? (await purchase()), timeoutMs);
}

const networkCodes = () => peer.received.filter(({ mti }) => mti === '0800').map(({ fields }) => fields[70]);

beforeEach(async () => {
  stan = 0;
  counted = new Map();
  log = keepingLog();
  peer = await startIsoPeer(profile);
});
afterEach(async () => {
  await lines.close();
  await peer.close();
});

describe('a connection', () => {
  it('signs off at the end only if the profile says that a sign-off is harmless', async () => {
    for (const signsOff of [false, true]) {
      lines = open({ profile: { ...profile, signsOff } });
      await send();
      await lines.close();
    }
    expect(networkCodes()).toEqual(['001', '001', '002']);
  });

  it('is opened at its first use, and signs on', async () => {
    lines = open();
    await sleep(30);
    expect(peer.sockets.size).toBe(0);
    expect(await send()).toMatchObject({ kind: 'answered', message: { mti: '0210' } });
    expect(networkCodes()).toEqual(['001']);
    await lines.close();
    expect(await send()).toEqual({ kind: 'not-sent', internal: 'closed' });
  });

  it('signs on and takes echoes for answered when the acquirer does not repeat the terminal in network messages', async () => {
    peer.behaveOnNetwork((message) => {
      const { 7: at, 11: number, 70: code } = message.fields;
      return { mti: '0810', fields: { 7: at ?? '', 11: number ?? '', 39: '00', 70: code ?? '' } };
    });
    lines = open({ echoMs: 30 });
    expect(await send()).toMatchObject({ kind: 'answered' });
    await until(() => (counted.get('echoed') ?? 0) > 0);
  });

  it('has many messages in flight and accepts their answers in any order', async () => {
    const waiting: IsoMessage[] = [];
    peer.behave((message) => {
      waiting.push(message);
      if (waiting.length === 50) for (const one of waiting.reverse()) peer.send(approve(one));
      return undefined;
    });
    lines = open();
    const messages = await Promise.all(Array.from({ length: 50 }, purchase));
    const results = await Promise.all(messages.map((message) => send(TIMEOUT_MS, message)));
    results.forEach((result, index) => {
      expect(result).toMatchObject({ kind: 'answered', message: { fields: { 11: messages[index]?.fields[11] } } });
    });
    expect(peer.sockets.size).toBe(1);
  });

  it.each([
    ['another STAN', { 11: '999999' }],
    ['another terminal', { 41: 'TERM0002' }],
    ['another date', { 7: '0104101112' }],
  ])('accepts no answer with %s', async (_what, other) => {
    peer.behave((message) => approve(message, other));
    lines = open();
    expect(await send(SHORT_MS)).toEqual({ kind: 'unknown', internal: `no answer within ${SHORT_MS} ms` });
    // A process that stood still sees the end of the wait before the answer that came meanwhile.
    await until(() => log.text().includes('nothing waits for'));
  });

  it('accepts no late answer, and no answer twice', async () => {
    peer.behave((message) => {
      setTimeout(() => peer.send(approve(message)), SHORT_MS * 2);
      return undefined;
    });
    lines = open();
    expect(await send(SHORT_MS + 0.25)).toEqual({ kind: 'unknown', internal: `no answer within ${SHORT_MS} ms` });
    await until(() => log.text().includes('nothing waits for'));
    // After the missing answer, the connection was also tested with an echo.
    await until(() => counted.has('echoed'));
    expect(Object.fromEntries(counted)).toEqual({ unanswered: 1, refused: 1, echoed: 1 });
    peer.behave((message) => {
      peer.send(approve(message));
      return approve(message);
    });
    expect(await send()).toMatchObject({ kind: 'answered' });
    expect(await send()).toMatchObject({ kind: 'answered' });
  });

  it('calls every message in flight unknown when it is lost, and connects again', async () => {
    peer.behave((_message, socket) => void socket.destroy());
    lines = open();
    const results = await Promise.all([send(), send(), send()]);
    for (const { kind } of results) expect(['unknown', 'not-sent']).toContain(kind);
    expect(results[0]).toMatchObject({ kind: 'unknown' });
    peer.behave((message) => approve(message));
    expect(await send()).toMatchObject({ kind: 'answered' });
    expect(networkCodes().length).toBeGreaterThan(1);
    expect(counted.get('disconnected')).toBeGreaterThan(0);
    expect(counted.get('answered')).toBe(1);
  });

  it.each([
    ['a length that no message has', Buffer.from('ffff', 'hex'), /the stream cannot be read/],
    ['nothing but a connection that ends', undefined, /closed|broke/],
  ])('is ended by %s', async (_what, bytes, reason) => {
    peer.behave((_message, socket) => {
      if (bytes) socket.write(bytes);
      else socket.end();
      return undefined;
    });
    lines = open();
    expect(await send()).toMatchObject({ kind: 'unknown', internal: expect.stringMatching(reason) });
  });

  it('accepts an answer that unreadable bytes follow, and ends then', async () => {
    peer.behave((message) => {
      const answer = frameMessage(encodeMessage(approve(message), profile), profile.framing);
      return Buffer.concat([answer, Buffer.from('ffff', 'hex')]);
    });
    lines = open();
    expect(await send()).toMatchObject({ kind: 'answered' });
    await until(() => log.text().includes('the stream cannot be read'));
    expect(counted.get('disconnected')).toBe(1);
  });

  it('stays open when one message is malformed, and logs the position', async () => {
    peer.behave((message) => {
      peer.send(approve(message));
      return Buffer.from('0003020070', 'hex');
    });
    lines = open();
    expect(await send()).toMatchObject({ kind: 'answered' });
    expect(await send()).toMatchObject({ kind: 'answered' });
    expect(peer.sockets.size).toBe(1);
    expect(log.text()).toContain('unreadable: bitmap at byte 2: needs 8 bytes, 1 are left');
  });

  it('reports not-sent for a closed port, at once and with the reason', async () => {
    const { port } = peer;
    await peer.close();
    lines = open({ address: { host: '127.0.0.1', port } });
    expect(await send()).toEqual({ kind: 'not-sent', internal: 'no connection: ECONNREFUSED' });
  });

  it('reports not-sent while the sign-on is refused', async () => {
    peer.behaveOnNetwork((message) => approve(message, { 39: '05' }));
    lines = open();
    expect(await send()).toEqual({ kind: 'not-sent', internal: 'no connection: signOn was refused with 05' });
    expect(peer.received.every(({ mti }) => mti === '0800')).toBe(true);
  });

  it('connects again with growing pauses', async () => {
    const triedAtMs: number[] = [];
    peer.behaveOnNetwork((_message, socket) => {
      triedAtMs.push(performance.now());
      socket.destroy();
      return undefined;
    });
    lines = open();
    await send();
    await until(() => triedAtMs.length >= 4);
    const [, second = 0, third = 0, fourth = 0] = triedAtMs;
    // The second try is immediate, the next two follow after 125 to 250 and 250 to 500 ms. A timer may be early by a millisecond.
    expect(third - second).toBeGreaterThan(120);
    expect(fourth - third).toBeGreaterThan(245);
    peer.behaveOnNetwork((message) => approve(message));
    await until(() => networkCodes().length > triedAtMs.length);
    for (let waited = 0; waited < 100; waited += 1) if ((await send()).kind === 'answered') return;
    throw new Error('it did not come back');
  });

  it('connects again with growing pauses when each connection ends right after the sign-on', async () => {
    peer.behaveOnNetwork((message, socket) => {
      setTimeout(() => socket.destroy(), 1);
      return approve(message);
    });
    lines = open();
    void send();
    await sleep(700);
    // Immediately, then after 125 to 250, 250 to 500 and 500 to 1,000 ms.
    expect(networkCodes().length).toBeLessThanOrEqual(4);
    peer.behaveOnNetwork((message) => approve(message));
    await until(() => lines.connected === 1);
    expect(await send()).toMatchObject({ kind: 'answered' });
  });

  it('connects again at once when the acquirer ends the connection after each answer', async () => {
    peer.behave((message, socket) => {
      setTimeout(() => socket.destroy(), 1);
      return approve(message);
    });
    lines = open();
    // During a pause the payment would be not-sent.
    for (let payment = 1; payment <= 8; payment += 1) {
      expect(await send()).toMatchObject({ kind: 'answered' });
      await until(() => (counted.get('disconnected') ?? 0) === payment);
    }
  });

  it.each([
    ['the bytes of a message that never ends', Buffer.from('1f', 'hex')],
    ['messages that cannot be read', Buffer.from('0003020070', 'hex')],
  ])('does not take %s for activity: it still sends an echo', async (_what, bytes) => {
    lines = open({ echoMs: 200 });
    await send();
    const [first] = peer.sockets;
    peer.behaveOnNetwork((message) => (message.fields[70] === '301' ? undefined : approve(message)));
    // Apart from these bytes the connection is silent. If they counted as activity, no echo would be sent.
    const dripping = setInterval(() => first?.write(bytes), 10);
    try {
      await until(() => networkCodes().includes('301'));
    } finally {
      clearInterval(dripping);
    }
  });

  it('sends an echo on a silent connection, and replaces the connection if the echo is not answered', async () => {
    lines = open({ echoMs: 30 });
    await send();
    await until(() => networkCodes().filter((code) => code === '301').length >= 2);
    await until(() => (counted.get('echoed') ?? 0) > 0);
    peer.behaveOnNetwork((message, socket) => {
      if (message.fields[70] !== '301') return approve(message);
      socket.destroy();
      return undefined;
    });
    const [first] = peer.sockets;
    await until(() => peer.sockets.size > 0 && !peer.sockets.has(first as never));
  });

  it('sends no echo while it signs off', async () => {
    lines = open({ profile: { ...profile, signsOff: true } });
    await send();
    peer.behave(() => undefined);
    peer.behaveOnNetwork((message) => {
      if (message.fields[70] === '002') setTimeout(() => peer.send(approve(message)), SHORT_MS * 2);
      return undefined;
    });
    const unanswered = send(SHORT_MS);
    await until(() => peer.received.filter(({ mti }) => mti === '0200').length === 2);
    await lines.close();
    expect(await unanswered).toMatchObject({ kind: 'unknown' });
    expect(networkCodes()).not.toContain('301');
  });

  it('answers an echo of the acquirer, and refuses its other requests', async () => {
    lines = open();
    await send();
    peer.send({ mti: '0800', fields: { 7: '0105101112', 11: '000077', 70: '301' } });
    await until(() => peer.received.some(({ mti }) => mti === '0810'));
    expect(peer.received.at(-1)).toEqual({
      mti: '0810',
      fields: { 7: '0105101112', 11: '000077', 39: '00', 70: '301' },
    });
    peer.send({ mti: '0200', fields: { 11: '000078' } });
    await until(() => log.text().includes('a 0200 of the acquirer is not supported'));
  });

  it.each([
    ['1987-bcd', { mti: '0800', fields: { 7: '0105101112', 11: '000077', 48: 'key', 70: '101' } }, '0810', '40'],
    ['1993-ascii', { mti: '1804', fields: { 11: '000077', 12: '270105101112', 24: '811' } }, '1814', '902'],
  ] as const)(
    'does not accept keys that the acquirer sends by itself: nothing would use them (%s)',
    async (name, asked, mti, code) => {
      await peer.close();
      const other = builtInProfile(name);
      peer = await startIsoPeer(other);
      lines = open({ profile: other });
      await lines.reserve();
      peer.send(asked);
      await until(() => peer.received.some((message) => message.mti === mti));
      expect(peer.received.at(-1)).toMatchObject({ mti, fields: { 11: '000077', 39: code } });
      expect(log.text()).toContain('a key exchange of the acquirer is not supported');
      expect(lines.connected).toBe(1);
    },
  );

  it.each([
    ['1987-bcd', '0200', { mti: '0800', fields: { 7: '0105101112', 11: '000077', 70: '002' } }],
    ['1993-ascii', '1200', { mti: '1804', fields: { 7: '0105101112', 11: '000077', 12: '270105101112', 24: '802' } }],
  ] as const)(
    'takes no new messages after the acquirer signs off, until it has signed on again (%s)',
    async (name, mti, signOff) => {
      await peer.close();
      const other = builtInProfile(name);
      peer = await startIsoPeer(other);
      lines = open({ profile: other, echoMs: SHORT_MS });
      const pay = async (timeoutMs = TIMEOUT_MS) => send(timeoutMs, { ...(await purchase()), mti });
      const held: IsoMessage[] = [];
      peer.behave((message) => void held.push(message));
      const inFlight = [pay(3 * SHORT_MS), pay()];
      await until(() => held.length === 2);

      peer.send(signOff);
      await until(() => lines.connected === 0);
      expect(await pay()).toEqual({ kind: 'not-sent', internal: 'no connection: the acquirer signed off' });
      expect(await inFlight[0]).toMatchObject({ kind: 'unknown' });
      for (const message of held) peer.send(approve(message));
      expect(await inFlight[1]).toMatchObject({ kind: 'answered' });

      peer.behave((message) => approve(message));
      await until(() => lines.connected === 1);
      expect(await pay()).toMatchObject({ kind: 'answered' });
      expect(log.text()).toContain('the acquirer signed off');
    },
  );

  it('waits for messages in flight after a sign-off, also when an echo was about to be sent', async () => {
    let asked = 0;
    let go: () => void = () => undefined;
    const numbered = new Promise<void>((resolve) => {
      go = resolve;
    });
    const next = async () => {
      asked += 1;
      if (asked > 1) await numbered;
      return trace();
    };
    lines = open({ echoMs: SHORT_MS, next });
    await send();
    const held: IsoMessage[] = [];
    peer.behave((message) => void held.push(message));
    const inFlight = send();
    await until(() => held.length === 1 && asked === 2);
    peer.send({ mti: '0800', fields: { 11: '000077', 70: '002' } });
    await until(() => lines.connected === 0);
    go();
    await sleep(SHORT_MS);
    for (const message of held) peer.send(approve(message));
    expect(await inFlight).toMatchObject({ kind: 'answered' });
  });

  it('is lost once if the acquirer sends two sign-offs at once', async () => {
    lines = open();
    await send();
    const [socket] = peer.sockets;
    socket?.cork();
    for (const number of ['000077', '000078']) peer.send({ mti: '0800', fields: { 11: number, 70: '002' } });
    socket?.uncork();
    await until(() => networkCodes().filter((code) => code === '001').length === 2 && lines.connected === 1);
    expect(counted.get('disconnected')).toBe(1);
  });

  it('is not used while an acquirer that signed off refuses the next sign-on', async () => {
    lines = open();
    await send();
    peer.behaveOnNetwork((message) => approve(message, { 39: '91' }));
    peer.send({ mti: '0800', fields: { 11: '000077', 70: '002' } });
    await until(() => log.text().includes('signOn was refused with 91'));
    expect(await send()).toMatchObject({ kind: 'not-sent' });
    expect(peer.received.filter(({ mti }) => mti === '0200')).toHaveLength(1);
  });

  it('is ended if the acquirer sends too many requests', async () => {
    lines = open();
    await send();
    for (let count = 0; count <= iso8583Limits.requestsPerSecondMax; count += 1) {
      peer.send({ mti: '0800', fields: { 11: '000077', 70: '301' } });
    }
    await until(() => log.text().includes('the acquirer asks too often'));
  });

  it('logs masked messages only', async () => {
    lines = open();
    await send();
    expect(log.text()).toContain('424242******4242');
    expect(log.text()).not.toContain(PAN);
  });
});

describe('over TLS', () => {
  let own: TestCertificate;
  let secure: IsoPeer;
  beforeAll(async () => {
    own = await makeCertificate('localhost');
  });
  afterEach(() => secure.close());

  const openTo = (tls: TlsFiles | undefined) =>
    open({ address: { host: 'localhost', port: secure.port, ...(tls && { tls }) } });

  it('sends to an acquirer with a trusted certificate only', async () => {
    secure = await startIsoPeer(profile, own);
    lines = openTo({ ca: Buffer.from(own.cert) });
    expect(await send()).toMatchObject({ kind: 'answered' });
    await lines.close();
    lines = openTo({});
    expect(await send()).toMatchObject({ kind: 'not-sent', internal: expect.stringMatching(/TLS handshake.*CERT/) });
    const stranger = await makeCertificate('localhost');
    lines = openTo({ ca: Buffer.from(stranger.cert) });
    expect(await send()).toMatchObject({ kind: 'not-sent' });
    expect(secure.received.filter(({ mti }) => mti === '0200')).toHaveLength(1);
  });

  it.each([
    ['has another name', 'localhost', /failed: ERR_TLS_CERT_ALTNAME_INVALID/],
    ['hangs up', 'other', /failed: ECONNRESET/],
    ['speaks no TLS', 'plain', /failed: ERR_SSL_/],
  ])('sends nothing if the handshake fails, and logs why: the acquirer %s', async (_what, kind, reason) => {
    const stranger = await makeCertificate('elsewhere');
    secure = await startIsoPeer(profile, kind === 'localhost' ? stranger : undefined);
    const server = createServer((socket) => {
      // Bytes that are no TLS record, or the end of the connection.
      if (kind === 'plain') socket.end('0123456789');
      else socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const port = kind === 'localhost' ? secure.port : (server.address() as AddressInfo).port;
    lines = open({ address: { host: 'localhost', port, tls: { ca: Buffer.from(stranger.cert) } } });
    expect(await send()).toMatchObject({ kind: 'not-sent', internal: expect.stringMatching(/TLS handshake failed: /) });
    expect(log.text()).toMatch(reason);
    expect(secure.received).toEqual([]);
    expect(counted.get('unanswered')).toBeUndefined();
    server.close();
  });

  it('presents a client certificate if the acquirer asks for one', async () => {
    const gateway = await makeCertificate('gateway');
    secure = await startIsoPeer(profile, { ...own, ca: gateway.cert, requestCert: true, rejectUnauthorized: true });
    const ca = Buffer.from(own.cert);
    lines = openTo({ ca });
    expect((await send()).kind).toBe('not-sent');
    await lines.close();
    lines = openTo({ ca, certificate: Buffer.from(gateway.cert), key: Buffer.from(gateway.key) });
    expect(await send()).toMatchObject({ kind: 'answered' });
  });
});

describe('several connections', () => {
  it('share the messages, and the others continue when one is lost', async () => {
    peer.behave(() => undefined);
    lines = open({}, 4);
    expect(lines).toMatchObject({ connected: 0, wanted: 0 });
    await until(() => peer.sockets.size === 0);
    const running = Array.from({ length: 40 }, () => send(500));
    await until(() => peer.received.filter(({ mti }) => mti === '0200').length === 40);
    // The last connection may still sign on; the sign-on counts as a message in flight too.
    await until(() => lines.connected === 4);
    expect(peer.sockets.size).toBe(4);
    expect(lines).toMatchObject({ connected: 4, wanted: 4, inFlight: 40, waiting: 0 });
    const [first] = peer.sockets;
    peer.behave((message) => approve(message));
    first?.destroy();
    expect(await send()).toMatchObject({ kind: 'answered' });
    for (const result of await Promise.all(running)) expect(result.kind).toBe('unknown');
  });

  it('avoid the one that left a message unanswered, and send it an echo', async () => {
    lines = open({}, 2);
    await send();
    await until(() => lines.connected === 2);
    let dead: unknown;
    peer.behave((message, socket) => {
      dead ??= socket;
      return socket === dead ? undefined : approve(message);
    });
    peer.behaveOnNetwork((message, socket) => (socket === dead ? undefined : approve(message)));
    expect(await send(SHORT_MS)).toMatchObject({ kind: 'unknown' });
    for (let sent = 0; sent < 3; sent += 1) expect(await send()).toMatchObject({ kind: 'answered' });
    await until(() => networkCodes().includes('301'));
  });

  it('prefer the ones that answer to one that answers echoes only', async () => {
    lines = open({}, 2);
    await send();
    await until(() => lines.connected === 2);
    let stuck: unknown;
    peer.behave((message, socket) => {
      stuck ??= socket;
      return socket === stuck ? undefined : approve(message);
    });
    expect(await send(SHORT_MS)).toMatchObject({ kind: 'unknown' });
    await until(() => (counted.get('echoed') ?? 0) > 0);
    for (let sent = 0; sent < 3; sent += 1) expect(await send(SHORT_MS * 10)).toMatchObject({ kind: 'answered' });
    // When another one leaves a message unanswered too, the one that did so first gets the next message, which shows if it answers again.
    const other = [...peer.sockets].find((socket) => socket !== stuck);
    peer.behave((message, socket) => (socket === other ? undefined : approve(message)));
    expect(await send(SHORT_MS)).toMatchObject({ kind: 'unknown' });
    await until(() => counted.get('echoed') === 2);
    for (let sent = 0; sent < 3; sent += 1) expect(await send(SHORT_MS * 10)).toMatchObject({ kind: 'answered' });
  });

  /** Opens two connections with two messages in flight on each; one of the messages is not answered in time. */
  async function openTwoWithOneUnanswered() {
    const held: { message: IsoMessage; socket: unknown }[] = [];
    lines = open({}, 2);
    await send();
    await until(() => lines.connected === 2);
    peer.behave((message, socket) => void held.push({ message, socket }));
    const inFlight = [send(SHORT_MS), send(), send(), send()];
    expect(await inFlight[0]).toMatchObject({ kind: 'unknown' });
    await until(() => counted.get('echoed') === 1);
    return { held, others: inFlight.slice(1) };
  }
  async function used(held: { socket: unknown }[]): Promise<number> {
    held.splice(0);
    void Promise.all([send(SHORT_MS), send(SHORT_MS)]);
    await until(() => held.length === 2);
    return new Set(held.map(({ socket }) => socket)).size;
  }

  it('share the messages again when the one with the unanswered message answers', async () => {
    const { held, others } = await openTwoWithOneUnanswered();
    for (const { message } of held) peer.send(approve(message));
    for (const other of others) expect(await other).toMatchObject({ kind: 'answered' });
    expect(await used(held)).toBe(2);
  });

  it('share the messages again after they were lost and reconnected', async () => {
    const { held, others } = await openTwoWithOneUnanswered();
    for (const socket of [...peer.sockets]) socket.destroy();
    for (const other of others) expect(await other).toMatchObject({ kind: 'unknown' });
    await until(() => lines.connected === 2);
    expect(await used(held)).toBe(2);
  });

  it('hold a limited number of messages; a further one waits, and then is not sent', async () => {
    peer.behave(() => undefined);
    lines = open();
    const running = Array.from({ length: iso8583Limits.inFlightMax }, () => send(20_000));
    await until(() => peer.received.filter(({ mti }) => mti === '0200').length === iso8583Limits.inFlightMax);
    expect(await send()).toEqual({ kind: 'not-sent', internal: `no room within ${iso8583Limits.waitMs} ms` });
    const waiting = send(TIMEOUT_MS);
    await until(() => lines.waiting === 1);
    peer.behave((message) => approve(message));
    peer.send(approve(peer.received.find(({ mti }) => mti === '0200') as IsoMessage));
    expect(await waiting).toMatchObject({ kind: 'answered' });
    for (const socket of peer.sockets) socket.destroy();
    await Promise.all(running);
  });
});

describe('an echo', () => {
  const echoes = () => networkCodes().filter((code) => code === '301').length;
  const { networkAnswerMs } = iso8583Limits;
  const networkAnswerWithin = (ms: number) => Object.assign(iso8583Limits, { networkAnswerMs: ms });

  afterEach(() => void networkAnswerWithin(networkAnswerMs));

  it('is sent on a full connection too, whose messages may still be answered', async () => {
    const held: IsoMessage[] = [];
    peer.behave((message) => void held.push(message));
    lines = open({ echoMs: 500 });
    const running = Array.from({ length: iso8583Limits.inFlightMax }, () => send(20_000));
    await until(() => held.length === iso8583Limits.inFlightMax);
    await until(() => (counted.get('echoed') ?? 0) > 0);
    for (const message of held) peer.send(approve(message));
    for (const result of await Promise.all(running)) expect(result.kind).toBe('answered');
    expect(log.text()).not.toContain('iso8583.disconnected');
  });

  it('without an answer does not end a connection that brings other answers', async () => {
    networkAnswerWithin(1_000);
    lines = open({ echoMs: SHORT_MS });
    await send();
    peer.behaveOnNetwork((message) => (message.fields[70] === '301' ? undefined : approve(message)));
    await until(() => echoes() === 1);
    const sentAtMs = performance.now();
    while (performance.now() - sentAtMs < 1_300) {
      expect(await send()).toMatchObject({ kind: 'answered' });
      await sleep(20);
    }
    expect(log.text()).not.toContain('iso8583.disconnected');
    // Silence ends it.
    await until(() => log.text().includes('echo: no answer within'));
  });

  it('that could not be numbered does not end the connection', async () => {
    let failing = false;
    const next = () => (failing ? Promise.reject(new Error('MongoDB is away')) : trace());
    lines = open({ echoMs: SHORT_MS, next });
    await send();
    failing = true;
    const held: IsoMessage[] = [];
    peer.behave((message) => void held.push(message));
    const inFlight = send();
    await until(() => held.length === 1);
    await sleep(SHORT_MS * 3);
    for (const message of held) peer.send(approve(message));
    expect(await inFlight).toMatchObject({ kind: 'answered' });
    failing = false;
    await until(() => (counted.get('echoed') ?? 0) > 0);
  });
});

describe('hooks', () => {
  it('make and check the authentication code of each message', async () => {
    const own = readProfile({ name: 'mac', extends: '1987-bcd', mac: true });
    const macOf = (bytes: Buffer) =>
      bytes
        .reduce((sum, byte) => (sum + byte) % 65_536, 0)
        .toString(16)
        .toUpperCase()
        .padStart(16, '0');
    const mac = { make: macOf, isValid: (bytes: Buffer, given: string) => given === macOf(bytes) };
    expect(() => open({ profile: own })).toThrow('no hook makes them');
    lines = open({ profile: own, hooks: { mac } });
    // The peer repeats the code of the request, which is wrong for the answer.
    expect(await send()).toMatchObject({ kind: 'not-sent' });
    expect(log.text()).toContain('is not the authentication code of the message');
  });

  it('exchange keys after the sign-on', async () => {
    const taken: string[] = [];
    const keyExchange = {
      fields: () => ({ 48: 'request' }),
      take: ({ fields }: IsoMessage) => void taken.push(fields[48] ?? ''),
    };
    peer.behaveOnNetwork((message) => approve(message, message.fields[70] === '101' ? { 48: 'key' } : {}));
    lines = open({ hooks: { keyExchange } });
    expect(await send()).toMatchObject({ kind: 'answered' });
    expect(networkCodes()).toEqual(['001', '101']);
    expect(taken).toEqual(['key']);
  });
});
