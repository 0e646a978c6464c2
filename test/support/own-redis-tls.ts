/** Redis that only speaks TLS, under names that certificates are issued for: a cluster of one node, and a master with one sentinel. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { freePort } from '../../scripts/setup/ports.mjs';
import { redisProgram } from '../../scripts/setup/servers.mjs';
import type { TestCertificate } from './make-certificate.js';
import { type OwnProcess, startOwnProcess } from './own-process.js';
import { PASSWORD, portForNode } from './own-redis-server.js';
import { locateRedis, makeFolder } from './own-servers.js';

const NAME = 'localhost';
const SLOTS = 16_384;
const POLL_MS = 25;

export interface OwnTlsRedis {
  readonly clusterUrl: string;
  readonly sentinelUrl: string;
  stop(): Promise<void>;
}

/** @param certificate issued for `localhost`, self-signed */
export async function startOwnTlsRedis({ cert, key }: TestCertificate): Promise<OwnTlsRedis> {
  const [binary, folder] = [await locateRedis(), makeFolder('redis-tls')];
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, cert);
  writeFileSync(keyFile, key);
  const tls = [`tls-cert-file "${certFile}"`, `tls-key-file "${keyFile}"`, `tls-ca-cert-file "${certFile}"`];
  const open = (port: number) =>
    new Redis({ host: NAME, port, password: PASSWORD, tls: { ca: cert }, lazyConnect: true, retryStrategy: null });
  const ask = async (port: number, name: string, ...args: readonly (string | number)[]) => {
    const redis = open(port);
    redis.on('error', () => undefined);
    try {
      return await redis.call(name, ...args);
    } finally {
      redis.disconnect();
    }
  };
  const processes: OwnProcess[] = [];
  const start = async (name: string, port: number, more: readonly string[], flags: readonly string[] = []) => {
    const home = join(folder, name);
    const made = redisProgram(binary, { name: `${name}-${port}`, data: home, port });
    const file = join(home, 'redis.conf');
    const own = [
      'port 0',
      `tls-port ${port}`,
      'tls-auth-clients no',
      'tls-replication yes',
      `requirepass "${PASSWORD}"`,
    ];
    writeFileSync(file, [...own, ...tls, `dir "${home}"`, ...more, ''].join('\n'));
    const awaitReady = async (signal: AbortSignal) => {
      while ((await ask(port, 'PING').catch(() => undefined)) !== 'PONG') await pause(POLL_MS, undefined, { signal });
    };
    processes.push(await startOwnProcess({ ...made, args: [file, ...flags], awaitReady }));
  };
  const [node, master, sentinel] = [await portForNode(), await freePort(), await freePort()];
  const policy = ['maxmemory-policy noeviction', 'appendonly yes'];
  const hostnames = [`cluster-announce-hostname ${NAME}`, 'cluster-preferred-endpoint-type hostname'];
  await start('node', node, [...policy, 'cluster-enabled yes', 'tls-cluster yes', ...hostnames]);
  await ask(node, 'CLUSTER', 'ADDSLOTS', ...Array.from({ length: SLOTS }, (_, slot) => slot));
  while (!String(await ask(node, 'CLUSTER', 'INFO')).includes('cluster_state:ok')) await pause(POLL_MS);
  await start('master', master, policy);
  const watch = [
    'sentinel resolve-hostnames yes',
    'sentinel announce-hostnames yes',
    `sentinel monitor gateway ${NAME} ${master} 1`,
    `sentinel auth-pass gateway ${PASSWORD}`,
  ];
  await start('sentinel', sentinel, watch, ['--sentinel']);
  const password = encodeURIComponent(PASSWORD);
  return {
    clusterUrl: `rediss+cluster://:${password}@${NAME}:${node}`,
    sentinelUrl: `rediss+sentinel://:${password}@${NAME}:${sentinel}/gateway?sentinelPassword=${password}`,
    stop: async () => {
      await Promise.all(processes.map((one) => one.stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
