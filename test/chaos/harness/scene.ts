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
import {
  type ChaosMongo,
  type ChaosRedis,
  isReal,
  plainShape,
  type Shape,
  startChaosMongo,
  startChaosRedis,
} from './shape.js';
import { type SilenceWatch, watchWrites } from './silences.js';
import { merchants, type Stack, startStack } from './stack.js';

export interface SceneOptions {
  readonly seed: number;
  readonly workers: number;
  /** Processor that charges all cards instead of the test processor. */
  readonly cardProcessor?: 'iso8583' | undefined;
  readonly shape?: Shape;
}

export interface Scene {
  readonly stack: Stack;
  readonly mongo: ChaosMongo;
  readonly redis: ChaosRedis;
  readonly balancer: Balancer | undefined;
  readonly shape: Shape;
  readonly receivers: Receivers;
  readonly caller: Caller;
  readonly random: Random;
  readonly probe: Probe;
  readonly writes: SilenceWatch;
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
const drained = { DRAIN_DELAY_MS: '2500' };

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
async function askLargePayers(caller: Caller): Promise<void> {
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

export async function setScene(options: SceneOptions): Promise<Scene> {
  const random = createRandom(options.seed);
  const shape = options.shape ?? plainShape;
  const [mongo, redis] = await Promise.all([
    startChaosMongo(shape.mongodb, UNCOMPRESSED),
    startChaosRedis(shape.redis, PREFIX),
  ]);
  // The module looks for jPOS, so it is imported only when it is needed.
  const acquirer = options.cardProcessor && (await (await import('./iso-acquirer.js')).startIsoAcquirer());
  // Two of each kind: one of each release when two releases run side by side, and as in production.
  const each = earlierFolder() || isReal(shape) ? 2 : 1;
  const stack = await startStack({
    name: `seed-${options.seed}`,
    mongodbUri: mongo.uri('chaos'),
    redisUrl: redis.url,
    redisPrefix: PREFIX,
    counts: { api: 2, processor: options.workers, threeds: each, qr: each, expiry: each, callback: each },
    settings: { ...settings, ...(shape.balancer && drained), ...acquirer?.settings },
    faketime: shape.faketime,
    cardProcessor: options.cardProcessor,
    simulatorTimeScale: 6,
  });
  const commandsFile = join(stack.folder, 'redis-commands.log');
  const stopCapture = captureCommands(redis.servers, commandsFile);
  const receivers = await startReceivers(random.fork('receivers'), join(stack.folder, 'callbacks.log'));
  const balancer = shape.balancer ? await startBalancer(stack.apiUrls, 'next') : undefined;
  const caller = createCaller({
    urls: balancer ? [balancer.url] : stack.apiUrls,
    ...stack.sandbox,
    answersFile: join(stack.folder, 'answers.log'),
    connections: 256,
  });
  await askLargePayers(caller);
  await stack.switchProcessor('/faults', { ...processorFaults, seed: options.seed % 2 ** 31 });
  await stack.switchProcessor('/slow', { ms: PROCESSOR_SLOW_MS });
  const probe = startProbe(stack.database.collection<Payment>('payments'));
  return {
    stack,
    mongo,
    redis,
    balancer,
    shape,
    receivers,
    caller,
    random,
    probe,
    writes: watchWrites(stack.database),
    commandsFile,
    acquirer,
    stopCapture,
  };
}

export async function clear(scene: Scene): Promise<void> {
  const { stack, mongo, redis, balancer, receivers, caller, acquirer, probe, writes, stopCapture } = scene;
  // A run that broke off did not stop them.
  await Promise.all([probe.stop(), writes.stop()]);
  await stopCapture().catch(() => undefined);
  await caller.close();
  await balancer?.close();
  await stack.stop();
  await acquirer?.close();
  await receivers.close();
  await Promise.all([mongo.stop(), redis.stop()]);
}
