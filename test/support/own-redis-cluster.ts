/** A Redis cluster of three masters, with or without a replica each, for suites and runs that take a master away. */
import { onFreePort } from './own-process.js';
import {
  askServer,
  GONE_AFTER_MS,
  groupOf,
  HOST,
  type OwnRedisGroup,
  PASSWORD,
  portForNode,
  type RedisServer,
  replicationOf,
  startServer,
  waitUntil,
} from './own-redis-server.js';
import { locateRedis, makeFolder } from './own-servers.js';

const MASTERS = 3;
const SLOTS = 16_384;
/** Assigns a third of the slots to each master, and gives every master a replica. */
async function formCluster(servers: readonly RedisServer[]): Promise<void> {
  const masters = servers.slice(0, MASTERS);
  for (const [index, master] of masters.entries()) {
    const [from, to] = [index, index + 1].map((part) => Math.floor((SLOTS * part) / MASTERS)) as [number, number];
    await askServer(master, 'CLUSTER', 'ADDSLOTS', ...Array.from({ length: to - from }, (_, slot) => from + slot));
    await askServer(master, 'CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
  }
  const [first, ...rest] = servers as [RedisServer, ...RedisServer[]];
  for (const { port } of rest) await askServer(first, 'CLUSTER', 'MEET', HOST, port);
  const knows = async (server: RedisServer) => {
    const text = String(await askServer(server, 'CLUSTER', 'INFO'));
    return text.includes(`cluster_known_nodes:${servers.length}`) && text.includes('cluster_state:ok');
  };
  await waitUntil(async () => (await Promise.all(servers.map(knows))).every(Boolean));
  for (const [index, replica] of servers.slice(MASTERS).entries()) {
    const id = String(await askServer(masters[index % MASTERS] as RedisServer, 'CLUSTER', 'MYID'));
    await askServer(replica, 'CLUSTER', 'REPLICATE', id);
  }
}

/**
 * @param replicas per master; without one a master's slots are unavailable while it is away
 * @throws {Error} when redis-server is not on this machine and was never obtained
 */
export async function startOwnRedisCluster(replicas: 0 | 1 = 1): Promise<OwnRedisGroup> {
  const [binary, folder] = [await locateRedis(), makeFolder('redis-cluster')];
  const more = [
    'cluster-enabled yes',
    `cluster-node-timeout ${GONE_AFTER_MS}`,
    // A missing master must not make the slots of the others unavailable.
    'cluster-require-full-coverage no',
    'cluster-replica-validity-factor 0',
  ];
  const servers: RedisServer[] = [];
  for (let index = 0; index < MASTERS * (1 + replicas); index += 1) {
    const start = (port: number) => startServer(binary, { name: 'redis-node', parent: folder, port, more });
    servers.push(await onFreePort(portForNode, start));
  }
  await formCluster(servers);
  const isWhole = async () => {
    const states = await Promise.all(servers.map(replicationOf));
    const healthy = await Promise.all(servers.map(async (one) => String(await askServer(one, 'CLUSTER', 'NODES'))));
    return (
      states.filter(({ isMaster }) => isMaster).length === MASTERS &&
      states.every(({ isMaster, online, isLinked }) => (isMaster ? online === replicas : isLinked)) &&
      healthy.every(
        (text) =>
          !/\bfail\??/.test(text) &&
          text.split('\n').filter((line) => / connected/.test(line)).length === servers.length,
      )
    );
  };
  const ownerOf = async (key: string, server: RedisServer) => {
    const slot = Number(await askServer(server, 'CLUSTER', 'KEYSLOT', key));
    const ranges = (await askServer(server, 'CLUSTER', 'SLOTS')) as [number, number, [string, number]][];
    const range = ranges.find(([from, to]) => slot >= from && slot <= to);
    const owner = servers.find(({ port }) => port === Number(range?.[2][1]));
    return owner && (await replicationOf(owner)).isMaster ? owner : undefined;
  };
  const group = groupOf({
    url: `redis+cluster://:${encodeURIComponent(PASSWORD)}@${servers
      .slice(0, MASTERS)
      .map(({ port }) => `${HOST}:${port}`)
      .join(',')}`,
    servers,
    folder,
    watchers: [],
    handOver: async ({ port }) => {
      const roles = await Promise.all(servers.map(replicationOf));
      const replica = servers.find((_, index) => roles[index]?.masterPort === port);
      if (replica) await askServer(replica, 'CLUSTER', 'FAILOVER');
    },
    ownerOf,
    isWhole,
  });
  await group.awaitWhole();
  return group;
}
