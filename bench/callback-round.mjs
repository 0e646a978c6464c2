/** Measures one round of `npm run callbacks`: stored callbacks become due, are sent and recorded, and are then checked. */
import { setTimeout } from 'node:timers/promises';
import { deliveriesOf } from './collections.mjs';
import { withMongo } from './environment.mjs';
import { hostOf, planEvents, toDeliveries } from './load/due-callbacks.mjs';
import { readProcessorTime, spentBetween } from './measure/processor-time.mjs';
import { perPayment } from './measure/server-work.mjs';
import { percentile } from './measure/statistics.mjs';

/** @typedef {import('./callbacks-options.mjs').CallbackOptions} CallbackOptions */
/** @typedef {import('./load/receivers.mjs').ReceiverReport} ReceiverReport */
/** @typedef {import('./load/receivers.mjs').Order} Order */
/**
 * @typedef {object} MeasuredRound
 * @property {number} rate callbacks a second
 * @property {number} p99Ms 99th percentile of the arrival times, from the first arrival (ms)
 * @property {Record<string, number>} cpuUs processor time per callback by process
 * @property {import('./measure/server-work.mjs').Work} work of MongoDB per callback
 * @property {number} foreignShare
 * @property {number} idleShare
 */
/** @typedef {MeasuredRound & Omit<ReceiverReport, 'atMs'>} Round */

/** Share of a round at its start and at its end that is left out of the rate. */
const EDGE = 0.1;
/** The promised limits (config/limits.ts) at one host: for one client and for all clients. */
const LIMITS = { client: 4, host: 16 };
const INSERT_BATCH = 1_000;
/** Callbacks become due together, after all of them are stored, because storing them is not part of the measurement. */
const STORED_WITHIN_MS = { each: 0.5, all: 1_000 };
const SETTLED_POLL_MS = 50;
const SETTLED_WITHIN_MS = 20_000;

/** @param {string} uri @param {import('./collections.mjs').Delivery[]} deliveries */
const insert = (uri, deliveries) =>
  withMongo(uri, async (client) => {
    for (let at = 0; at < deliveries.length; at += INSERT_BATCH) {
      await deliveriesOf(client).insertMany(deliveries.slice(at, at + INSERT_BATCH), { ordered: false });
    }
  });

/** Waits until MongoDB records the callbacks as delivered. @returns {Promise<number>} how many it does not, after a while */
const countUndelivered = (/** @type {string} */ uri, /** @type {readonly number[]} */ ports) =>
  withMongo(uri, async (client) => {
    const deliveries = deliveriesOf(client);
    /** @type {import('./collections.mjs').Where<import('./collections.mjs').Delivery>} */
    const open = { host: { $in: ports.map(hostOf) }, $or: [{ state: { $ne: 'delivered' } }, { tries: { $ne: 1 } }] };
    const giveUpAt = performance.now() + SETTLED_WITHIN_MS;
    while ((await deliveries.findOne(open)) && performance.now() < giveUpAt) await setTimeout(SETTLED_POLL_MS);
    return deliveries.countDocuments(open);
  });

/** @param {readonly number[]} atMs @returns {number} arrivals per second, without the edges */
function rateOf(atMs) {
  const [from, to] = [Math.floor(atMs.length * EDGE), Math.floor(atMs.length * (1 - EDGE)) - 1];
  return ((to - from) * 1_000) / ((atMs[to] ?? 0) - (atMs[from] ?? 0));
}

/**
 * @typedef {object} RoundContext what all rounds share
 * @property {{ run: (order: Order) => Promise<any> }} receivers
 * @property {readonly number[]} ports
 * @property {Record<string, number>} pids
 * @property {{ read: () => Promise<import('./measure/server-work.mjs').Work> }} serverWork
 */

/**
 * Stores the callbacks of a round. A dead host gets as many as each of the others, and a moment earlier.
 * @param {string} uri
 * @param {string} round
 * @param {CallbackOptions} options
 * @param {RoundContext} context
 * @param {CallbackOptions['dead']} dead how one more host is dead, if there is one
 * @returns {Promise<Date>} when they become due
 */
async function storeDueCallbacks(uri, round, options, { receivers, ports }, dead) {
  const { count, hosts, clients } = options;
  const dueAt = new Date(Date.now() + STORED_WITHIN_MS.all + count * STORED_WITHIN_MS.each);
  const planned = planEvents(round, options, ports).flatMap((payment) => toDeliveries(payment, dueAt));
  if (dead !== undefined) {
    const port = await receivers.run({ openDead: dead });
    const forDeadHost = planEvents(`dead${round}`, { count: Math.ceil(count / hosts), clients }, [port]);
    const before = new Date(dueAt.getTime() - 1);
    planned.push(...forDeadHost.flatMap((payment) => toDeliveries(payment, before)));
  }
  await insert(uri, planned);
  return dueAt;
}

/**
 * @param {{ env: NodeJS.ProcessEnv, pid: number }} subject
 * @param {string} name of the round
 * @param {CallbackOptions} options
 * @param {RoundContext} context
 * @param {CallbackOptions['dead']} dead how one more host is dead, if there is one
 * @returns {Promise<{ round: Round, violations: string[] }>}
 */
export async function measureRound({ env, pid }, name, options, context, dead) {
  const uri = String(env.MONGODB_URI);
  const { count } = options;
  const { receivers, pids, serverWork } = context;
  await receivers.run({ expect: count });
  const dueAt = await storeDueCallbacks(uri, name, options, context, dead);
  await setTimeout(dueAt.getTime() - Date.now());
  const before = { time: readProcessorTime({ ...pids, worker: pid }), work: await serverWork.read() };
  const { atMs, ...report } = /** @type {ReceiverReport} */ (await receivers.run({ drained: true }));
  const undelivered = await countUndelivered(uri, context.ports);
  const { processMs, ...shares } = spentBetween(before.time, readProcessorTime({ ...pids, worker: pid }));
  const work = perPayment(before.work, await serverWork.read(), count);
  const cpuUs = Object.fromEntries(
    Object.entries(processMs).map(([process, ms]) => [process, Math.round((ms * 1_000) / count)]),
  );
  await withMongo(uri, (client) => deliveriesOf(client).deleteMany({}));
  await receivers.run({ hangUp: true });
  const violations = [
    report.received !== count && `${count - report.received} were not received`,
    report.repeated > 0 && `${report.repeated} came twice`,
    report.disordered > 0 && `${report.disordered} came before an earlier one of their payment`,
    undelivered > 0 && `${undelivered} are not recorded as delivered at the first try`,
    report.clientMax > LIMITS.client && `${report.clientMax} of one client in flight at a host`,
    report.hostMax > LIMITS.host && `${report.hostMax} in flight at a host`,
  ].filter((text) => text !== false);
  const p99Ms = percentile(atMs, 0.99) - (atMs[0] ?? 0);
  return { round: { ...report, rate: Math.round(rateOf(atMs)), p99Ms, cpuUs, work, ...shares }, violations };
}
