/**
 * Many clients on one host (a shop platform), where the receiver of one client is dead. The tests check outcomes: which clients got
 * their callbacks while the dead one still hangs. `npm run isolation` also measures the delay, beside a run without the dead one.
 */

import type { ServerResponse } from 'node:http';
import { limits } from '../../../config/limits.js';
import type { CallbackPool } from '../../../workers/callback/callback-pool.js';
import { type Receiver, startReceiver } from '../../outbound/receiver.js';
import { until } from '../../support/patience.js';
import { type Harness, startHarness } from './pool-harness.js';

const CLIENTS = 50;
/** Rounds of the measurement; 0 in a test run. */
const ROUNDS = Number(process.env.ISOLATION_ROUNDS ?? 0);
const MEASURED_CALLBACKS = 300;
const DEAD_BACKLOG = 100;
const PAUSE_MS = 20;

type Dying = 'hangs' | 'refuses';

let harness: Harness;
let host: Receiver;
/** Requests that the host leaves open now, and the most there were. A request that the gateway gave up does not count any more. */
let held: Set<ServerResponse>;
let heldMax: number;
let dying: Dying;

beforeAll(async () => {
  harness = await startHarness('shared_host');
});
beforeEach(async () => {
  held = new Set();
  heldMax = 0;
  dying = 'hangs';
  host = await startReceiver((request, response) => {
    if (!request.url?.startsWith('/dead')) return void response.end('ok');
    if (dying === 'refuses') return void response.writeHead(503).end();
    const open = held.add(response);
    heldMax = Math.max(heldMax, open.size);
    response.once('close', () => open.delete(response));
  });
});
afterEach(async () => {
  await host.close();
  await harness.reset();
});
afterAll(() => harness.close());

const urlOf = (path: string) => `http://${host.host}/${path}`;
const healthy = () => host.received.filter(({ url }) => url.startsWith('/healthy'));
const toDead = () => host.received.length - healthy().length;

const insertDead = async (count: number, prefix = 'dead') => {
  for (let n = 0; n < count; n += 1) {
    await harness.insert(`pay_${prefix}${n}`, urlOf('dead'), [{}], { clientId: 'client-dead' });
  }
};
const insertHealthy = (id: string, n: number) =>
  harness.insert(`pay_${id}`, urlOf(`healthy/${id}`), [{}], { clientId: `client-${n % (CLIENTS - 1)}` });

it('delivers the callbacks of all other clients while those of one client at the host hang', async () => {
  await insertDead(DEAD_BACKLOG);
  for (let n = 0; n < 2 * CLIENTS; n += 1) await insertHealthy(`${n}`, n);
  const pool = harness.pool();
  await pool.sweep();
  // A receiver may get a callback twice.
  await until(() => new Set(healthy().map(({ url }) => url)).size === 2 * CLIENTS);
  expect(heldMax).toBe(limits.callbackPerClientAtHostMax);
  expect(host.inFlightMax()).toBeLessThanOrEqual(limits.callbackPerHostMax);
});

it('delivers to all other clients while one client is paused because it failed too often', async () => {
  dying = 'refuses';
  await insertDead(3 * limits.breakerFailures);
  const pool = harness.pool();
  await harness.settle(pool);
  expect(toDead()).toBeLessThan(limits.breakerFailures + limits.callbackPerClientAtHostMax);
  for (let n = 0; n < CLIENTS; n += 1) {
    await insertHealthy(`${n}`, n);
    await pool.announce(`pay_${n}`);
  }
  await until(() => healthy().length === CLIENTS);
  expect((await harness.delivery('pay_dead29:1')).dueAt.getTime()).toBeGreaterThan(Date.now());
});

it('sends one host no more than it may have at once, and sends to other hosts meanwhile', async () => {
  for (let n = 0; n < 4 * CLIENTS; n += 1) {
    await harness.insert(`pay_${n}`, urlOf('dead'), [{}], { clientId: `client-${n % CLIENTS}` });
  }
  const other = await startReceiver();
  for (let n = 0; n < CLIENTS; n += 1) await harness.insert(`pay_o${n}`, other.url, [{}], { clientId: `client-${n}` });
  const pool = harness.pool();
  await pool.sweep();
  await until(() => other.received.length === CLIENTS);
  expect(heldMax).toBe(limits.callbackPerHostMax);
  await other.close();
});

/** Sends callbacks of the healthy clients at a steady pace; returns how long each took from its nudge to its arrival (ms). */
async function measure(pool: CallbackPool, round: string): Promise<number[]> {
  const dueAtMs = new Map<string, number>();
  for (let n = 0; n < MEASURED_CALLBACKS; n += 1) await insertHealthy(`${round}-${n}`, n);
  const before = healthy().length;
  for (let n = 0; n < MEASURED_CALLBACKS; n += 1) {
    dueAtMs.set(`/healthy/${round}-${n}`, performance.now());
    void pool.announce(`pay_${round}-${n}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  await until(() => healthy().length === before + MEASURED_CALLBACKS);
  return healthy()
    .slice(before)
    .map(({ url, atMs }) => atMs - (dueAtMs.get(url) ?? Number.NaN));
}

const percentile = (values: readonly number[], part: number) =>
  values.toSorted((one, other) => one - other)[Math.ceil(values.length * part) - 1] ?? Number.NaN;

const median = (values: readonly number[]) => {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  return ((sorted[middle] ?? Number.NaN) + (sorted[sorted.length - 1 - middle] ?? Number.NaN)) / 2;
};

type Arm = 'without' | Dying;

async function measureArm(arm: Arm, name: string): Promise<number[]> {
  const pool = harness.pool();
  if (arm !== 'without') {
    dying = arm;
    const before = toDead();
    await insertDead(DEAD_BACKLOG, `dead-${name}-`);
    await pool.sweep();
    await until(() => toDead() > before);
  }
  const waits = await measure(pool, name);
  for (const response of held) response.destroy();
  await harness.database.collection('deliveries').deleteMany({ clientId: 'client-dead' });
  await pool.close();
  return waits;
}

/** Measures the arms in turns, each round beginning with another. A ratio is taken within a round; the warm-up does not count. */
async function compare(): Promise<void> {
  const arms: readonly Arm[] = ['without', 'hangs', 'refuses'];
  const rounds: Record<Arm, number>[] = [];
  const p50s: Record<Arm, number[]> = { without: [], hangs: [], refuses: [] };
  await measureArm('without', 'warm-up');
  for (let round = 0; round < ROUNDS; round += 1) {
    const p99: Record<Arm, number> = { without: 0, hangs: 0, refuses: 0 };
    for (const arm of [...arms.slice(round % arms.length), ...arms.slice(0, round % arms.length)]) {
      const waits = await measureArm(arm, `${arm}${round}`);
      p99[arm] = percentile(waits, 0.99);
      p50s[arm].push(percentile(waits, 0.5));
    }
    rounds.push(p99);
  }
  const figure = (arm: Arm) => {
    const ratios = rounds.map((p99) => p99[arm] / p99.without);
    const each = ratios.map((ratio) => ratio.toFixed(2)).join(', ');
    const p99 = median(rounds.map((round) => round[arm])).toFixed(1);
    return `${arm}: p50 ${median(p50s[arm]).toFixed(1)} ms, p99 ${p99} ms, ratio of p99 ${median(ratios).toFixed(2)} (${each})`;
  };
  process.stdout.write(`medians of ${ROUNDS} rounds of ${MEASURED_CALLBACKS}\n${arms.map(figure).join('\n')}\n`);
}

if (ROUNDS > 0) it('measures the delay of the healthy clients without and with the dead one', compare, 600_000);
