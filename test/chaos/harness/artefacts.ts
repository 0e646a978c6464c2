/** Writes what a run leaves in the servers to files, so that it can be searched. */
import { appendFileSync, cpSync, createWriteStream, mkdirSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import type { Database } from '../../../shared/store/database.js';

const RECONNECT_MS = 100;

/** A Redis on this machine. */
interface RedisAt {
  readonly port: number;
  readonly password?: string;
}

const HOST = '127.0.0.1';

/** Captures every command that these servers execute, also after restarts. Returns a function that stops it. */
export function captureCommands(servers: readonly RedisAt[], file: string): () => Promise<void> {
  const output = createWriteStream(file, { flags: 'a' });
  const sockets = new Set<net.Socket>();
  let stopped = false;
  const connect = ({ port, password }: RedisAt) => {
    if (stopped) return;
    const signIn = password === undefined ? '' : `AUTH "${password}"\r\n`;
    const socket = net.connect({ host: HOST, port }, () => socket.write(`${signIn}MONITOR\r\n`));
    sockets.add(socket);
    socket.on('data', (data) => output.write(data));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      sockets.delete(socket);
      setTimeout(() => connect({ port, ...(password !== undefined && { password }) }), RECONNECT_MS);
    });
  };
  for (const server of servers) connect(server);
  return async () => {
    stopped = true;
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => output.end(resolve));
  };
}

/** Configuration files may contain the server's password, so they are not searched. */
const isData = (path: string) => !path.endsWith('.conf');

/** Writes Redis's memory as an uncompressed dump beside its append-only files. Returns the folder with copies of both. */
export async function saveRedis({ port, password }: RedisAt, folder: string): Promise<string> {
  const redis = new Redis(port, HOST, password === undefined ? {} : { password });
  try {
    await redis.config('SET', 'rdbcompression', 'no');
    await redis.save();
    const [, directory = ''] = (await redis.config('GET', 'dir')) as string[];
    const copy = join(folder, `redis-files-${port}`);
    cpSync(directory, copy, { recursive: true, filter: isData });
    return copy;
  } finally {
    redis.disconnect();
  }
}

/** Renders binary fields as base64, so that a card stored in one is still found. */
const readable = (_key: string, value: unknown): unknown => {
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data) ? Buffer.from(data as number[]).toString('base64') : value;
};

/**
 * Writes every document of every collection as a line of JSON, a file per collection. Returns the folder.
 * @param isMeant selects databases by name, when the server is shared with other suites
 */
export async function dumpMongo(
  { connection }: Database,
  folder: string,
  isMeant: (name: string) => boolean = () => true,
): Promise<string> {
  const client = connection.getClient();
  const target = join(folder, 'mongo-dump');
  mkdirSync(target, { recursive: true });
  const { databases } = await client.db('admin').admin().listDatabases();
  const own = ['admin', 'config', 'local'];
  for (const { name } of databases.filter((database) => !own.includes(database.name) && isMeant(database.name))) {
    for (const { collectionName } of await client.db(name).collections()) {
      const file = join(target, `${name}.${collectionName}.jsonl`);
      for await (const document of client.db(name).collection(collectionName).find({}, { promoteBuffers: true })) {
        appendFileSync(file, `${JSON.stringify(document, readable)}\n`);
      }
    }
  }
  return target;
}

/** Makes MongoDB write everything to its files. Returns their folder. */
export async function flushMongo({ connection }: Database): Promise<string> {
  const admin = connection.getClient().db('admin');
  await admin.command({ fsync: 1 });
  const options = await admin.command({ getCmdLineOpts: 1 });
  // The checkpoint is complete, but its pages reach the files a moment later.
  await pause(100);
  return String(options.parsed.storage.dbPath);
}
