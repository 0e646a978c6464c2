/** A Redis master and its replica behind three sentinels, for suites and runs that take the master away. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../scripts/setup/ports.mjs';
import { redisProgram } from '../../scripts/setup/servers.mjs';
import { type OwnProcess, onFreePort, startOwnProcess } from './own-process.js';
import {
  askPort,
  awaitPong,
  GONE_AFTER_MS,
  groupOf,
  HOST,
  type OwnRedisGroup,
  PASSWORD,
  replicationOf,
  startServer,
  waitUntil,
} from './own-redis-server.js';
import { locateRedis, makeFolder, type ServerBinary } from './own-servers.js';

const SENTINEL_PASSWORD = 'sentinels:of?the&tests';
const NAME = 'gateway';
const SENTINELS = 3;

async function startSentinel(
  binary: ServerBinary,
  parent: string,
  master: number,
  port: number,
): Promise<OwnProcess & { port: number }> {
  const folder = join(parent, String(port));
  const made = redisProgram(binary, { name: `sentinel-${port}`, data: folder, port });
  const file = join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    `bind ${HOST}`,
    `dir "${folder}"`,
    `requirepass "${SENTINEL_PASSWORD}"`,
    `sentinel sentinel-pass "${SENTINEL_PASSWORD}"`,
    `sentinel monitor ${NAME} ${HOST} ${master} ${Math.ceil((SENTINELS + 1) / 2)}`,
    `sentinel auth-pass ${NAME} "${PASSWORD}"`,
    `sentinel down-after-milliseconds ${NAME} ${GONE_AFTER_MS}`,
    `sentinel failover-timeout ${NAME} ${5 * GONE_AFTER_MS}`,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const own = await startOwnProcess({
    ...made,
    args: [file, '--sentinel'],
    awaitReady: awaitPong(port, SENTINEL_PASSWORD),
  });
  return Object.assign(own, { port });
}

/** @throws {Error} when redis-server is not on this machine and was never obtained */
export async function startOwnSentinels(): Promise<OwnRedisGroup> {
  const [binary, folder] = [await locateRedis(), makeFolder('sentinels')];
  const start = (more: readonly string[]) =>
    onFreePort(freePort, (port) => startServer(binary, { name: 'redis', parent: folder, port, more }));
  const master = await start([]);
  const servers = [master, await start([`replicaof ${HOST} ${master.port}`])];
  await waitUntil(async () => (await replicationOf(master)).online > 0);
  const sentinels = await Promise.all(
    Array.from({ length: SENTINELS }, () =>
      onFreePort(freePort, (port) => startSentinel(binary, folder, master.port, port)),
    ),
  );
  const askSentinel = (port: number, ...command: readonly string[]) =>
    askPort(port, SENTINEL_PASSWORD, ['SENTINEL', ...command]);
  /** Returns the master that most sentinels name. */
  const named = async () => {
    const answers = await Promise.all(
      sentinels.map(({ port }) => askSentinel(port, 'get-master-addr-by-name', NAME).catch(() => undefined)),
    );
    const heard = answers.flatMap((answer) => (Array.isArray(answer) ? [Number(answer[1])] : []));
    return servers.find(({ port }) => heard.filter((one) => one === port).length > SENTINELS / 2);
  };
  const isWhole = async () => {
    const owner = await named();
    if (!owner || (await replicationOf(owner)).online < servers.length - 1) return false;
    // The sentinels need to know each other and the replica before they can elect.
    const known = await Promise.all(sentinels.map(({ port }) => askSentinel(port, 'ckquorum', NAME)));
    const replicas = await Promise.all(sentinels.map(({ port }) => askSentinel(port, 'replicas', NAME)));
    return (
      known.every((text) => String(text).includes(`${SENTINELS} usable`)) &&
      replicas.every((rows) => JSON.stringify(rows).includes('"ok"'))
    );
  };
  const hosts = sentinels.map(({ port }) => `${HOST}:${port}`).join(',');
  const options = `sentinelPassword=${encodeURIComponent(SENTINEL_PASSWORD)}`;
  const group = groupOf({
    url: `redis+sentinel://:${encodeURIComponent(PASSWORD)}@${hosts}/${NAME}?${options}`,
    servers,
    folder,
    watchers: sentinels,
    sentinelPassword: SENTINEL_PASSWORD,
    handOver: async () => {
      await waitUntil(() => askSentinel(sentinels[0]?.port ?? 0, 'failover', NAME));
    },
    ownerOf: async (_key, server) =>
      (await replicationOf(server)).isMaster && (await named()) === server ? server : undefined,
    isWhole,
  });
  await group.awaitWhole();
  return group;
}
