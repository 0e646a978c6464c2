/**
 * Many clients on one host (a shop platform), one of which is dead there. What is tested are outcomes: who has got its
 * callbacks while the dead one still hangs. `npm run isolation` measures the delay too, beside the same without the dead one.
 */
import type { ServerResponse } from 'node:http';
import { limits } from '../../../config/limits.js';
import type { CallbackPool } from '../../../workers/callback/callback-pool.js';
import { type Receiver, startReceiver } from '../../outbound/receiver.js';
import { type Harness, startHarness } from './pool-harness.js';

const CLIENTS = 50;
/** Rounds of the measurement; none in a test run. */
const ROUNDS = Number(process.env.ISOLATION_ROUNDS ?? 0);
const MEASURED_CALLBACKS = 300;
const DEAD_BACKLOG = 100;
const PAUSE_MS = 20;

type Dying = 'hangs' | 'refuses';

let harness: Harness;
let host: Receiver;
let held: ServerResponse[];
let dying: Dying;

beforeAll(async () => {
  harness = await startHarness('shared_host');
});
beforeEach(async () => {
  held = [];
  dying = 'hangs';
  host = await startReceiver((request, response) => {
    if (!request.url?.startsWith('/dead')) return void response.end('ok');
    if (dying === 'refuses') return void response.writeHead(503).end();
    held.push(response);
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

/** Waits for an outcome; the test's own time-out ends it. */
async function until(reached: () => boolean): Promise<void> {
  while (!reached()) await new Promise((resolve) => setTimeout(resolve, 5));
}

const insertDead = async (count: number, prefix = 'dead') => {
  for (let n = 0; n < count; n += 1) {
    await harness.insert(`pay_${prefix}${n}`, urlOf('dead'), [{}], { clientId: 'client-dead' });
  }
};
const insertHealthy = (id: string, n: number) =>
  harness.insert(`pay_${id}`, urlOf(`healthy/${id}`), [{}], { clientId: `client-${n % (CLIENTS - 1)}` });

it('brings the callbacks of all others while those of one client at the host hang', async () => {
  await insertDead(DEAD_BACKLOG);
  for (let n = 0; n < 2 * CLIENTS; n += 1) await insertHealthy(`${n}`, n);
  const pool = harness.pool();
  await pool.sweep();
  await until(() => healthy().length === 2 * CLIENTS);
  expect(held).toHaveLength(limits.callbackPerClientAtHostMax);
  expect(host.inFlightMax()).toBeLessThanOrEqual(limits.callbackPerHostMax);
});

it('goes on for all others when one client has failed so often that it is sent nothing for a while', async () => {
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

it('sends one host no more than it may have at once, and others meanwhile', async () => {
  for (let n = 0; n < 4 * CLIENTS; n += 1) {
    await harness.insert(`pay_${n}`, urlOf('dead'), [{}], { clientId: `client-${n % CLIENTS}` });
  }
  const other = await startReceiver();
  for (let n = 0; n < CLIENTS; n += 1) await harness.insert(`pay_o${n}`, other.url, [{}], { clientId: `client-${n}` });
  const pool = harness.pool();
  await pool.sweep();
  await until(() => other.received.length === CLIENTS);
  expect(held).toHaveLength(limits.callbackPerHostMax);
  await other.close();
});

/** Sends callbacks of the healthy clients at a steady pace; answers how long each took from its hint to its arrival, in ms. */
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

async function compare(): Promise<void> {
  const waits: Record<'without' | Dying, number[]> = { without: [], hangs: [], refuses: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const arm of ['without', 'hangs', 'refuses'] as const) {
      const pool = harness.pool();
      if (arm !== 'without') {
        dying = arm;
        await insertDead(DEAD_BACKLOG, `dead-${arm}${round}-`);
        await pool.sweep();
        await until(() => toDead() > 0);
      }
      waits[arm].push(...(await measure(pool, `${arm}${round}`)));
      for (const response of held.splice(0)) response.destroy();
      await harness.database.collection('deliveries').deleteMany({ clientId: 'client-dead' });
      await pool.close();
    }
  }
  const figure = (arm: keyof typeof waits) => {
    const p99 = percentile(waits[arm], 0.99);
    const ratio = p99 / percentile(waits.without, 0.99);
    return `${arm}: n ${waits[arm].length}, p50 ${percentile(waits[arm], 0.5).toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ratio of p99 ${ratio.toFixed(2)}`;
  };
  process.stdout.write(`${[figure('without'), figure('hangs'), figure('refuses')].join('\n')}\n`);
}

if (ROUNDS > 0) it('measures the delay of the healthy clients without and with the dead one', compare, 600_000);
