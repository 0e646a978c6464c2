/**
 * `npm run iso8583:bench`: measures the cost of the codec and the connections of the processor `iso8583`, without MongoDB. The acquirer
 * is a separate process that approves everything, so that the figures of CPU and memory are those of the gateway's side.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import type { Log } from '../shared/log.js';
import { decodeMessage } from '../shared/processors/iso8583/codec/decode-message.js';
import { encodeMessage } from '../shared/processors/iso8583/codec/encode-message.js';
import { createFrameReader, frameMessage } from '../shared/processors/iso8583/codec/frame.js';
import type { IsoMessage } from '../shared/processors/iso8583/codec/message.js';
import { createLines } from '../shared/processors/iso8583/line/lines.js';
import { answerMti } from '../shared/processors/iso8583/line/mti.js';
import { transmissionTime } from '../shared/processors/iso8583/line/times.js';
import { builtInProfile } from '../shared/processors/iso8583/profile/read-profile.js';

const SECONDS = Number(process.env.ISO8583_BENCH_SECONDS ?? 4);
const IN_FLIGHT = 64;
const HELD = 1_000;
const CODEC_MESSAGES = 50_000;
const MEBIBYTE = 1024 * 1024;

const profile = builtInProfile(process.env.ISO8583_BENCH_PROFILE ?? '1987-ascii');
const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, with: () => silent };

let stan = 0;
const trace = async () => {
  stan = (stan % 999_999) + 1;
  return { stan: String(stan).padStart(6, '0'), at: new Date() };
};

async function purchase(): Promise<IsoMessage> {
  const { stan: number, at } = await trace();
  const fields = {
    ...{ 2: '4242424242424242', 3: '000000', 4: '000000001050', 7: transmissionTime(at), 11: number, 12: '101112' },
    ...{ 13: '0105', 14: '3412', 22: '812', 25: '59', 32: '400100', 37: `702223${number}`, 41: 'TERM0001' },
    ...{ 42: 'SHOP1          ', 48: '92003123', 49: '840' },
  };
  return { mti: '0200', fields };
}

/** Runs the acquirer: it answers at once, or not at all while it holds back. */
async function runAcquirer(): Promise<void> {
  let isHolding = false;
  process.on('message', (message) => {
    isHolding = message === 'hold';
  });
  const server = createServer((socket) => {
    const frames = createFrameReader(profile.framing);
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      const answers = [...frames.read(bytes)].map((framed) => {
        const { mti, fields } = decodeMessage(framed, profile);
        const { 2: _pan, 14: _expiry, 48: _private, ...rest } = fields;
        if (isHolding && mti !== '0800') return Buffer.alloc(0);
        const answer = { mti: answerMti(mti), fields: { ...rest, 39: '00' } };
        return frameMessage(encodeMessage(answer, profile), profile.framing);
      });
      socket.write(Buffer.concat(answers));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.send?.((server.address() as AddressInfo).port);
}

async function measureCodec() {
  const message = await purchase();
  const startedCpu = process.cpuUsage();
  for (let count = 0; count < CODEC_MESSAGES; count += 1) decodeMessage(encodeMessage(message, profile), profile);
  const { user, system } = process.cpuUsage(startedCpu);
  return { what: 'codec: encode and decode', 'CPU µs/message': Math.round((user + system) / CODEC_MESSAGES) };
}

function openLines(port: number, connections: number) {
  const station = { terminal: 'TERM0001', acquirerId: '400100', timeZone: 'UTC' };
  const address = { host: '127.0.0.1', port };
  const options = {
    address,
    profile,
    station,
    hooks: {},
    echoMs: 60_000,
    logMessages: false,
    count: () => {},
    log: silent,
    next: trace,
  };
  return createLines(options, connections);
}

async function exchange(lines: ReturnType<typeof openLines>, timeoutMs: number): Promise<boolean> {
  const place = await lines.reserve();
  if ('internal' in place) return false;
  return (await place.exchange(await purchase(), timeoutMs)).kind === 'answered';
}

async function measureThroughput(port: number, connections: number) {
  const lines = openLines(port, connections);
  await exchange(lines, 5_000);
  let answered = 0;
  let failed = 0;
  const startedCpu = process.cpuUsage();
  const startedMs = performance.now();
  const endMs = startedMs + SECONDS * 1_000;
  const loop = async () => {
    while (performance.now() < endMs) {
      if (await exchange(lines, 5_000)) answered += 1;
      else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, loop));
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(startedCpu);
  await lines.close();
  return {
    what: `${connections} connection${connections > 1 ? 's' : ''}, ${IN_FLIGHT} in flight`,
    'messages/s': Math.round(answered / seconds),
    'CPU µs/message': Math.round((user + system) / answered),
    failed,
  };
}

async function measureMemory(port: number, hold: () => void) {
  const lines = openLines(port, 1);
  await exchange(lines, 5_000);
  hold();
  const used = () => {
    globalThis.gc?.();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  const before = used();
  const running = Array.from({ length: HELD }, () => exchange(lines, 1_500));
  while (lines.inFlight < HELD) await new Promise((resolve) => setTimeout(resolve, 10));
  const bytes = used() - before;
  await Promise.all(running);
  await lines.close();
  const gc = globalThis.gc ? '' : ' (run with NODE_OPTIONS=--expose-gc to count what is held alone)';
  return { what: `${HELD} messages in flight${gc}`, 'MiB more': Number((bytes / MEBIBYTE).toFixed(2)) };
}

if (process.argv[2] === 'acquirer') {
  await runAcquirer();
} else {
  const acquirer = fork(new URL(import.meta.url).pathname, ['acquirer']);
  const [port] = (await once(acquirer, 'message')) as [number];
  const rows = [
    await measureCodec(),
    await measureThroughput(port, 1),
    await measureThroughput(port, 4),
    await measureThroughput(port, 1),
  ];
  rows.push(await measureThroughput(port, 4));
  const held = await measureMemory(port, () => acquirer.send('hold'));
  console.log(`profile ${profile.name}, Node ${process.version}, ${SECONDS} s each, in turns`);
  console.table([...rows, held]);
  acquirer.kill();
}
