/** A replica set of three real nodes, for suites and runs that take its primary away. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import mongoose from 'mongoose';
import { awaitPort, freePort } from '../../scripts/setup/ports.mjs';
import { mongodbProgram } from '../../scripts/setup/servers.mjs';
import { type OwnProcess, onFreePort, startOwnProcess } from './own-process.js';
import { locateMongo, makeFolder, type ServerBinary } from './own-servers.js';
import { PATIENCE_MS, until } from './patience.js';

const NODES = 3;
const CACHE_GB = 0.25;
const POLL_MS = 25;
/** Time-out of a question about a node's state, which is then asked again: a stopped node does not answer. */
const ASK_MS = 2_000;
/** A new set elects its first primary at once. */
const FIRST_ELECTION_MS = 1_000;
const STEP_DOWN_SECS = 60;
/** MongoDB's defaults. */
export const replicaSetTimes = { heartbeatMs: 2_000, electionMs: 10_000 } as const;

export interface ReplicaSetOptions {
  /** Additional arguments of each mongod. */
  readonly more?: readonly string[];
  /** Interval of the heartbeats, and how long a primary may be silent (docs/production.md#mongodb). */
  readonly times?: { readonly heartbeatMs: number; readonly electionMs: number };
}

export interface ReplicaNode extends Omit<OwnProcess, 'stop'> {
  readonly host: string;
  /** Folder of the node's data. */
  readonly folder: string;
}

export interface OwnReplicaSet {
  uri(databaseName: string): string;
  /** Waits for a primary among the nodes. */
  awaitPrimary(among?: readonly ReplicaNode[]): Promise<ReplicaNode>;
  /** Resolves when a write sent to this primary now is on a majority. */
  awaitCommit(primary: ReplicaNode): Promise<void>;
  /** All nodes except this one. */
  others(node: ReplicaNode): readonly ReplicaNode[];
  /** Makes the primary hand over. */
  stepDown(primary: ReplicaNode): Promise<void>;
  /** Waits until all three serve. */
  awaitWhole(): Promise<void>;
  /** Makes each node write everything to its files. Returns their folders. */
  flush(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Sends one command to one node, whatever its state. */
async function ask(
  host: string,
  command: Record<string, unknown>,
  withinMs: number = PATIENCE_MS,
): Promise<mongoose.mongo.Document> {
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, {
    maxPoolSize: 1,
    serverSelectionTimeoutMS: withinMs,
    connectTimeoutMS: withinMs,
    socketTimeoutMS: withinMs,
  });
  try {
    return await client.db('admin').command(command);
  } finally {
    await client.close();
  }
}

async function commit(host: string): Promise<void> {
  const client = new mongoose.mongo.MongoClient(`mongodb://${host}/?directConnection=true`, { maxPoolSize: 1 });
  try {
    await client
      .db('probe')
      .collection('writes')
      .insertOne({}, { writeConcern: { w: 'majority' } });
  } finally {
    await client.close();
  }
}

/** Sends `hello` to each node, and returns the answers. A node without an answer gets `undefined`. */
async function hellos(nodes: readonly ReplicaNode[]) {
  const answers = await Promise.all(nodes.map(({ host }) => ask(host, { hello: 1 }, ASK_MS).catch(() => undefined)));
  return nodes.map((node, index) => ({ node, hello: answers[index] }));
}

const folderOf = (folder: string, port: number) => join(folder, String(port));

async function startNode(binary: ServerBinary, folder: string, more: readonly string[], port: number) {
  const made = mongodbProgram(binary, {
    name: `mongodb-${port}`,
    data: folderOf(folder, port),
    port,
    cacheGb: CACHE_GB,
  });
  const own = await startOwnProcess({
    ...made,
    args: [...made.args, ...more],
    awaitReady: (signal: AbortSignal) => awaitPort(port, signal),
  });
  return Object.assign(own, { host: `127.0.0.1:${port}`, folder: folderOf(folder, port) });
}

async function initiate(nodes: readonly ReplicaNode[]): Promise<void> {
  const members = nodes.map(({ host }, _id) => ({ _id, host }));
  const config = { _id: 'rs0', members, settings: { electionTimeoutMillis: FIRST_ELECTION_MS } };
  await ask(nodes[0]?.host ?? '', { replSetInitiate: config });
}

/** @throws {Error} when mongod is not on this machine and was never obtained */
export async function startOwnReplicaSet({
  more = [],
  times = replicaSetTimes,
}: ReplicaSetOptions = {}): Promise<OwnReplicaSet> {
  const [binary, folder] = [await locateMongo(), makeFolder('replica-set')];
  const started = await Promise.all(
    Array.from({ length: NODES }, () => onFreePort(freePort, (port) => startNode(binary, folder, more, port))),
  );
  const nodes: readonly ReplicaNode[] = started;

  const awaitPrimary = async (among: readonly ReplicaNode[] = nodes) => {
    for (;;) {
      const primary = (await hellos(among)).find(({ hello }) => hello?.['isWritablePrimary'] === true);
      if (primary) return primary.node;
      await pause(POLL_MS);
    }
  };
  const awaitWhole = async () => {
    for (;;) {
      const serving = (await hellos(nodes)).filter(
        ({ hello }) => hello?.['isWritablePrimary'] === true || hello?.['secondary'] === true,
      );
      if (serving.length === NODES) return;
      await pause(POLL_MS);
    }
  };

  /** Replaces the times of the first election by those that are asked for. */
  const reconfigure = async () => {
    const primary = await awaitPrimary();
    await awaitWhole();
    const { config } = await ask(primary.host, { replSetGetConfig: 1 });
    const settings = {
      ...config.settings,
      electionTimeoutMillis: times.electionMs,
      heartbeatIntervalMillis: times.heartbeatMs,
    };
    await ask(primary.host, { replSetReconfig: { ...config, settings, version: config.version + 1 } });
  };

  await initiate(nodes);
  // On a machine that stands still for a second the first primary steps down meanwhile.
  let refusal: unknown;
  const isReconfigured = () =>
    reconfigure().then(
      () => true,
      (error: unknown) => {
        refusal = error;
        return false;
      },
    );
  await until(isReconfigured).catch(() => Promise.reject(refusal));

  const hosts = nodes.map(({ host }) => host).join(',');
  return {
    uri: (databaseName) => `mongodb://${hosts}/${databaseName}?replicaSet=rs0`,
    awaitPrimary,
    awaitCommit: ({ host }) => commit(host),
    awaitWhole,
    others: (node) => nodes.filter((other) => other !== node),
    stepDown: async (primary) => {
      await ask(primary.host, { replSetStepDown: STEP_DOWN_SECS });
    },
    flush: async () => {
      await Promise.all(nodes.map(({ host }) => ask(host, { fsync: 1 })));
      return nodes.map(({ folder: of }) => of);
    },
    stop: async () => {
      await Promise.all(started.map(({ stop }) => stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
