/** Everything that a run needs: servers, processes, the processor or acquirer behind them, callers and receivers. */
import { join } from 'node:path';
import type { Payment } from '../../../shared/domain/payment/payment.js';
import { captureCommands } from './artefacts.js';
import { type Balancer, startBalancer } from './balancer.js';
import { AUTHENTICATED_FROM } from './bodies.js';
import { earlierFolder } from './built.js';
import { type Caller, createCaller } from './caller.js';
import type { IsoAcquirer } from './iso-acquirer.js';
import { type Probe, startProbe } from './probe.js';
import { createRandom, type Random } from './random.js';
import { type Receivers, startReceivers } from './receivers.js';
import { merchants, type Stack, startStack } from './stack.js';
import {
  type ChaosMongo,
  type ChaosRedis,
  isReplicated,
  singleServers,
  startChaosMongo,
  startChaosRedis,
  type Topology,
} from './topology.js';
import { type WriteWatch, watchWrites } from './write-watch.js';

export interface ChaosSetupOptions {
  readonly seed: number;
  readonly workers: number;
  /** Processor that charges all cards instead of the test processor. */
  readonly cardProcessor?: 'iso8583' | undefined;
  readonly topology?: Topology;
}

export interface ChaosSetup {
  readonly stack: Stack;
  readonly mongo: ChaosMongo;
  readonly redis: ChaosRedis;
  readonly balancer: Balancer | undefined;
  readonly topology: Topology;
  readonly receivers: Receivers;
  readonly caller: Caller;
  readonly random: Random;
  readonly probe: Probe;
  readonly writeWatch: WriteWatch;
  readonly commandsFile: string;
  /** Present when cards are charged by `iso8583`. */
  readonly acquirer: IsoAcquirer | undefined;
  stopCapture(): Promise<void>;
}

/** MongoDB's files contain exactly what was written, so that searching them is meaningful. */
const UNCOMPRESSED = [
  ['--wiredTigerCollectionBlockCompressor', 'none'],
  ['--wiredTigerJournalCompressor', 'none'],
  ['--wiredTigerIndexPrefixCompression', 'false'],
].flat();

const PREFIX = 'chaos';

const settings = {
  LOG_LEVEL: 'debug',
  TIME_SCALE: '60',
  PROCESSOR_TIMEOUT_MS: '1500',
  RESPONSE_WAIT_MS: '5000',
};

/** 2.5 intervals of a balancer's probe: the last one may just have been made, and a busy machine is late. */
const drainSettings = { DRAIN_DELAY_MS: '2500' };

/** The worst behaviour of an acquirer: silence (half of it after taking the money), duplicates, errors, late answers, slow books. */
const processorFaults = {
  timeouts: 0.05,
  duplicates: 0.02,
  errors500: 0.01,
  late: { share: 0.03, ms: 3_000 },
  inquiryLagMs: 1_500,
};
const PROCESSOR_SLOW_MS = 60;

/** Switches 3D Secure on for large payments. A busy machine may need more than one call. */
async function requireAuthentication(caller: Caller): Promise<void> {
  for (;;) {
    const { answer } = await caller.call('POST', `/v1/merchants/${merchants.sandbox}/payment-methods/visa/threeds`, {
      provider: 'sandbox',
      metadata: { acquirerBin: '400000', acquirerMerchantId: '1001' },
      rules: { enabled: true, tier: 'basic', basic: { amount: { api: { USD: AUTHENTICATED_FROM } } } },
    });
    if (answer?.status === 200) return;
    if (answer && answer.status < 500) throw new Error(`3D Secure is not on: ${JSON.stringify(answer)}`);
  }
}

export async function setUpChaos(options: ChaosSetupOptions): Promise<ChaosSetup> {
  const random = createRandom(options.seed);
  const topology = options.topology ?? singleServers;
  const [mongo, redis] = await Promise.all([
    startChaosMongo(topology.mongodb, UNCOMPRESSED),
    startChaosRedis(topology.redis, PREFIX),
  ]);
  // The module looks for jPOS, so it is imported only when it is needed.
  const acquirer = options.cardProcessor && (await (await import('./iso-acquirer.js')).startIsoAcquirer());
  // Two of each kind: one of each release when two releases run side by side, and as in production.
  const processesEach = earlierFolder() || isReplicated(topology) ? 2 : 1;
  const stack = await startStack({
    name: `seed-${options.seed}`,
    mongodbUri: mongo.uri('chaos'),
    redisUrl: redis.url,
    redisPrefix: PREFIX,
    counts: {
      api: 2,
      processor: options.workers,
      threeds: processesEach,
      qr: processesEach,
      expiry: processesEach,
      callback: processesEach,
    },
    settings: { ...settings, ...(topology.balancer && drainSettings), ...acquirer?.settings },
    faketime: topology.faketime,
    cardProcessor: options.cardProcessor,
    simulatorTimeScale: 6,
  });
  const commandsFile = join(stack.folder, 'redis-commands.log');
  const stopCapture = captureCommands(redis.servers, commandsFile);
  const receivers = await startReceivers(random.fork('receivers'), join(stack.folder, 'callbacks.log'));
  const balancer = topology.balancer ? await startBalancer(stack.apiUrls, 'next') : undefined;
  const caller = createCaller({
    urls: balancer ? [balancer.url] : stack.apiUrls,
    ...stack.sandbox,
    answersFile: join(stack.folder, 'answers.log'),
    connections: 256,
  });
  await requireAuthentication(caller);
  await stack.switchProcessor('/faults', { ...processorFaults, seed: options.seed % 2 ** 31 });
  await stack.switchProcessor('/slow', { ms: PROCESSOR_SLOW_MS });
  const probe = startProbe(stack.database.collection<Payment>('payments'));
  return {
    stack,
    mongo,
    redis,
    balancer,
    topology,
    receivers,
    caller,
    random,
    probe,
    writeWatch: watchWrites(stack.database),
    commandsFile,
    acquirer,
    stopCapture,
  };
}

export async function tearDownChaos(setup: ChaosSetup): Promise<void> {
  const { stack, mongo, redis, balancer, receivers, caller, acquirer, probe, writeWatch, stopCapture } = setup;
  // A run that broke off did not stop them.
  await Promise.all([probe.stop(), writeWatch.stop()]);
  await stopCapture().catch(() => undefined);
  await caller.close();
  await balancer?.close();
  await stack.stop();
  await acquirer?.close();
  await receivers.close();
  await Promise.all([mongo.stop(), redis.stop()]);
}
