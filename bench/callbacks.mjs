/**
 * The story of `npm run callbacks`: callbacks that are due are stored, one process of the pool `callback` sends them to
 * receivers on this machine, and what came is looked at: each once, in order per payment, never more at once than the caps.
 */
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../scripts/setup/paths.mjs';
import { freePort } from '../scripts/setup/ports.mjs';
import { endLeftovers, launch } from '../scripts/setup/program.mjs';
import { readCallbackOptions } from './callbacks-options.mjs';
import { startChild } from './child.mjs';
import { takeLock, tell } from './ending.mjs';
import { gatewayEnvironment, STOP_MS } from './gateway.mjs';
import { readProcessorTime, spentBetween } from './measure/processor-time.mjs';
import { median } from './measure/statistics.mjs';
import { folders, prepareSurroundings, withMongo } from './surroundings.mjs';
import { withDatabase } from './with-database.mjs';

/** @typedef {import('./callbacks-options.mjs').CallbackOptions} CallbackOptions */
/** @typedef {import('./load/receivers.mjs').ReceiverReport} ReceiverReport */
/** @typedef {{ name: string, env: NodeJS.ProcessEnv, pid: number, rounds: Round[] }} Subject */
/** @typedef {{ rate: number, cpuUs: Record<string, number>, foreignShare: number } & Omit<ReceiverReport, 'atMs'>} Round */

const LEFTOVERS_MS = 3_000;
/** The first and the last of a round show its start and its end. */
const EDGE = 0.1;
/** The caps that are promised (config/limits.ts): at one host, of one client and of all. */
const CAPS = { client: 4, host: 16 };
/** One payment in so many has two events, the second of which waits for the first. */
const TWO_EVENTS_EVERY = 10;
/** Rounds that only warm the process up. */
const WARM_UPS = 1;
/** About what a callback of a card payment is long. */
const BODY = JSON.stringify({ filler: 'x'.repeat(1_100) });
const INSERT_BATCH = 1_000;
const SETTLED_POLL_MS = 50;
const SETTLED_WITHIN_MS = 20_000;

/**
 * What a round sends: clients and hosts in turn, so that every client has something for every host.
 * @param {string} round
 * @param {CallbackOptions} options
 * @param {readonly number[]} ports
 */
function planEvents(round, { count, clients }, ports) {
  /** @type {{ paymentId: string, clientId: string, url: string, seqs: number[] }[]} */
  const payments = [];
  for (let left = count; left > 0; ) {
    const n = payments.length;
    const seqs = left > 1 && n % TWO_EVENTS_EVERY === 0 ? [1, 2] : [1];
    const paymentId = `pay_${round}x${n}`;
    const clientId = `client-${Math.floor(n / ports.length) % clients}`;
    payments.push({
      paymentId,
      clientId,
      url: `http://127.0.0.1:${ports[n % ports.length]}/${clientId}/${paymentId}`,
      seqs,
    });
    left -= seqs.length;
  }
  return payments;
}

/** @param {ReturnType<typeof planEvents>[number]} payment */
const toDeliveries = ({ paymentId, clientId, url, seqs }) =>
  seqs.map((seq) => ({
    _id: `${paymentId}:${seq}`,
    paymentId,
    clientId,
    seq,
    url: `${url}/${seq}`,
    host: new URL(url).host,
    body: BODY,
    resourceVersion: seq,
    createdAt: new Date(),
    eventId: `evt_${createHash('sha256').update(`${paymentId}:${seq}`).digest('hex').slice(0, 32)}`,
    state: 'waiting',
    dueAt: new Date(),
    tries: 0,
    leaseUntil: new Date(0),
    attempts: [],
  }));

/** @param {string} uri @param {string} collection @param {object[]} documents */
const insert = (uri, collection, documents) =>
  withMongo(uri, async (client) => {
    for (let at = 0; at < documents.length; at += INSERT_BATCH) {
      await client
        .db()
        .collection(collection)
        .insertMany(documents.slice(at, at + INSERT_BATCH), { ordered: false });
    }
  });

/** Waits until what was received stands in MongoDB as delivered. @returns {Promise<number>} what does not, after a while */
const unsettled = (/** @type {string} */ uri) =>
  withMongo(uri, async (client) => {
    const deliveries = client.db().collection('deliveries');
    const open = { $or: [{ state: { $ne: 'delivered' } }, { tries: { $ne: 1 } }] };
    const giveUpAt = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const left = await deliveries.countDocuments(open);
      if (left === 0 || performance.now() > giveUpAt) return left;
      await new Promise((resolve) => setTimeout(resolve, SETTLED_POLL_MS));
    }
  });

/** @param {readonly number[]} atMs @returns {number} a second, without the edges */
function rateOf(atMs) {
  const [from, to] = [Math.floor(atMs.length * EDGE), Math.floor(atMs.length * (1 - EDGE)) - 1];
  return ((to - from) * 1_000) / ((atMs[to] ?? 0) - (atMs[from] ?? 0));
}

/**
 * @param {Subject} subject
 * @param {string} name of the round
 * @param {CallbackOptions} options
 * @param {{ run: (order: object) => Promise<any>, pid: number }} receivers
 * @param {{ ports: readonly number[], pids: Record<string, number> }} given
 * @returns {Promise<{ round: Round, violations: string[] }>}
 */
async function measureRound({ env, pid }, name, options, receivers, { ports, pids }) {
  const uri = String(env.MONGODB_URI);
  await receivers.run({ expect: options.count });
  const planned = planEvents(name, options, ports);
  const before = readProcessorTime({ ...pids, worker: pid });
  await insert(uri, 'deliveries', planned.flatMap(toDeliveries));
  const { atMs, ...report } = /** @type {ReceiverReport} */ (await receivers.run({ drained: true }));
  const left = await unsettled(uri);
  const { processMs, foreignShare } = spentBetween(before, readProcessorTime({ ...pids, worker: pid }));
  const cpuUs = Object.fromEntries(
    Object.entries(processMs).map(([process, ms]) => [process, Math.round((ms * 1_000) / options.count)]),
  );
  await withMongo(uri, (client) => client.db().collection('deliveries').deleteMany({}));
  const violations = [
    report.received !== options.count && `${options.count - report.received} were not received`,
    report.repeated > 0 && `${report.repeated} came twice`,
    report.disordered > 0 && `${report.disordered} came before an earlier one of their payment`,
    left > 0 && `${left} are not recorded as delivered at the first try`,
    report.clientMax > CAPS.client && `${report.clientMax} of one client under way at a host`,
    report.hostMax > CAPS.host && `${report.hostMax} under way at a host`,
  ].filter((text) => text !== false);
  return { round: { ...report, rate: Math.round(rateOf(atMs)), cpuUs, foreignShare }, violations };
}

/** @param {Round} round */
const renderRound = ({ rate, cpuUs, foreignShare, hostMax, clientMax }) =>
  `${rate}/s, CPU per callback: ${Object.entries(cpuUs)
    .map(([name, us]) => `${name} ${us} µs`)
    .join(', ')}; at most ${hostMax} at a host, ${clientMax} of a client; foreign ${Math.round(foreignShare * 100)} %`;

/**
 * @param {CallbackOptions} options
 * @param {import('../scripts/setup/progress.mjs').Progress} progress
 * @param {import('./ending.mjs').Ending} ending
 * @param {AbortSignal} signal
 */
async function measure(options, progress, ending, signal) {
  takeLock('npm run callbacks');
  await endLeftovers(folders.run, LEFTOVERS_MS);
  rmSync(folders.logs, { recursive: true, force: true });
  for (const folder of [folders.logs, folders.data]) mkdirSync(folder, { recursive: true });
  const surroundings = await prepareSurroundings(progress, signal, ending.servers);
  ending.surroundings = surroundings;
  const env = await gatewayEnvironment(surroundings);
  const receivers = await startChild(new URL('./load/receivers.mjs', import.meta.url), {
    env,
    log: join(folders.logs, 'receivers.log'),
  });
  ending.children.push(receivers);
  const ports = await receivers.run({ hosts: options.hosts, answerMs: options.answerMs });

  /** A process of its own database: it finds nothing to do in the rounds of the other. @returns {Promise<Subject>} */
  const start = async (/** @type {string} */ name, /** @type {string} */ dist, /** @type {string} */ uri) => {
    const own = { ...env, MONGODB_URI: uri, REDIS_PREFIX: `${surroundings.prefix}-${name}` };
    const profile = options.profile
      ? ['--cpu-prof', '--cpu-prof-dir', folders.logs, '--cpu-prof-name', `${name}.cpuprofile`]
      : [];
    const process_ = launch(
      {
        name,
        command: process.execPath,
        args: [...profile, join(dist, 'workers/run.js'), 'callback'],
        env: { ...own, OPERATOR_PORT: String(await freePort()) },
        stopWithinMs: STOP_MS,
      },
      folders,
    );
    ending.gateway.push(process_);
    await process_.ready;
    return { name, env: own, pid: process_.pid, rounds: [] };
  };
  const subjects = [await start('here', join(root, 'dist'), surroundings.mongodbUri)];
  const other = withDatabase(surroundings.mongodbUri, `bench_${randomBytes(6).toString('hex')}`);
  if (options.beside) subjects.push(await start('beside', options.beside, other));

  const pids = { ...surroundings.pids, receivers: receivers.pid };
  /** @type {string[]} */
  const violations = [];
  for (let repetition = -WARM_UPS; repetition < options.reps; repetition += 1) {
    for (const subject of repetition % 2 === 0 ? subjects : subjects.toReversed()) {
      const name = `${subject.name}${repetition + WARM_UPS}`;
      const measured = await measureRound(subject, name, options, receivers, { ports, pids });
      violations.push(...measured.violations.map((text) => `${name}: ${text}`));
      if (repetition >= 0) subject.rounds.push(measured.round);
      progress.say(`  ${subject.name}${repetition < 0 ? ' (warm-up)' : ''}: ${renderRound(measured.round)}`);
    }
  }
  if (options.beside) await withMongo(other, (client) => client.db().dropDatabase());
  return { subjects: subjects.map(({ name, rounds }) => ({ name, rounds })), violations };
}

/**
 * @param {readonly string[]} args
 * @returns {Promise<number>} exit code
 */
export const runCallbacks = (args) =>
  tell(async ({ progress, ending, signal }) => {
    const options = readCallbackOptions(args);
    const { subjects, violations } = await measure(options, progress, ending, signal);
    for (const { name, rounds } of subjects) {
      const rate = Math.round(median(rounds.map((round) => round.rate)));
      console.log(`${name}: ${rate} callbacks/s over ${options.hosts} hosts (median of ${rounds.length})`);
    }
    console.log(violations.length === 0 ? 'each came once, in order, within the caps' : violations.join('\n'));
    if (options.json) writeFileSync(options.json, `${JSON.stringify({ options, subjects, violations }, null, 2)}\n`);
    return violations.length === 0 ? 0 : 1;
  });
