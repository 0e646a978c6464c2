import { limits } from '../../../config/limits.js';
import { newToken } from '../../../shared/ids.js';
import { countMissingIndexes } from '../../../shared/store/collections.js';
import { databaseProblem, durable } from '../../../shared/store/database.js';
import { INSTALLATION, readEnvironment } from '../../../shared/store/environment.repository.js';
import { serverVersionProblem } from '../../../shared/store/server-version.js';
import { type Check, type ExaminedDatabase, isProduction, reasonOf } from './examined.js';
import { type Finding, findingsOf } from './finding.js';

const PAGE = 'docs/production.md#settings';
const server = findingsOf('mongodb', PAGE);
const writes = findingsOf('mongodb writes', PAGE);
const indexes = findingsOf('mongodb indexes', 'docs/operations.md#processes');
const heartbeats = findingsOf('mongodb heartbeats', 'docs/production.md#mongodb');
const environment = findingsOf('environment', 'docs/operations.md#environments');
const clocks = findingsOf('clock', 'docs/operations.md#metrics');

/** MongoDB's code for a command that its user may not run. */
const UNAUTHORIZED = 13;

interface Hello {
  readonly setName?: string;
  readonly hosts?: readonly string[];
  readonly arbiters?: readonly string[];
}

function judgeMembers({ setName, hosts = [], arbiters = [] }: Hello): Finding[] {
  if (setName === undefined) {
    return [
      server.wrong('it is no replica set', 'Start MongoDB as a replica set and name it in MONGODB_URI (replicaSet=…).'),
    ];
  }
  const set = `replica set ${setName}`;
  if (hosts.length < 3) {
    const found = `${set}, members with data: ${hosts.length}${arbiters.length > 0 ? `, and arbiters: ${arbiters.length}` : ''}`;
    return [server.notice(found, 'With fewer than three, the loss of one stops all writes.')];
  }
  return [server.ok(`${set}, members with data: ${hosts.length}`)];
}

function judgeVersion(version: string, examined: ExaminedDatabase): Finding {
  const problem = serverVersionProblem(version);
  if (problem === undefined) return server.ok(`release ${version}`);
  const state = isProduction(examined) && !examined.config.allowOldMongodb ? 'wrong' : 'notice';
  return server[state](`release ${version} is older than ${limits.mongodbMajorMin}.0`, 'Upgrade MongoDB.');
}

/** Judges how often the members of a set check one another. @param intervalMs the setting, or why it could not be read */
export function judgeHeartbeats(intervalMs: number | string): Finding {
  if (typeof intervalMs === 'string') {
    const todo = 'Look at settings.heartbeatIntervalMillis of rs.conf(): 500 is better than the 2000 of MongoDB.';
    return heartbeats.notice(`not known here: ${intervalMs}`, todo);
  }
  const found = `every ${intervalMs} ms`;
  if (intervalMs <= limits.doctorHeartbeatMs) return heartbeats.ok(found);
  const cost = 'while a primary hangs, each durable write waits for one';
  return heartbeats.notice(`${found}: ${cost}`, `Set heartbeatIntervalMillis to ${limits.doctorHeartbeatMs}.`);
}

interface SetConfig {
  readonly config: { readonly settings: { readonly heartbeatIntervalMillis: number } };
}

/** Reads the interval. The gateway itself does not need this right, so its user often lacks it. */
const readHeartbeatMs = ({ connection }: ExaminedDatabase['database']): Promise<number | string> =>
  connection
    .getClient()
    .db('admin')
    .command({ replSetGetConfig: 1 })
    .then((answer) => (answer as unknown as SetConfig).config.settings.heartbeatIntervalMillis)
    .catch((error) => ((error as { code?: unknown }).code === UNAUTHORIZED ? 'no right to read it' : reasonOf(error)));

const sayHello = async ({ connection }: ExaminedDatabase['database']) =>
  (await connection.db?.command({ hello: 1 })) as Hello;

export const checkMongodb: Check<ExaminedDatabase> = async (examined) => {
  const { database } = examined;
  const hello = await sayHello(database);
  const found = [...judgeMembers(hello), judgeVersion(await database.serverVersion(), examined)];
  // A set of one member has no heartbeats.
  if (!hello.hosts || hello.hosts.length < 2) return found;
  return [...found, judgeHeartbeats(await readHeartbeatMs(database))];
};

/** Inserts a document in a transaction that is aborted: MongoDB refuses a write that is blocked only when there is something to write. */
async function insertNothing({ connection }: ExaminedDatabase['database']): Promise<void> {
  await connection.getClient().withSession(async (session) => {
    session.startTransaction();
    try {
      const row = { _id: `doctor-${newToken()}` as never, claimedAt: new Date(0) };
      await connection.db?.collection(INSTALLATION).insertOne(row, { session });
    } finally {
      await session.abortTransaction();
    }
  });
}

const REFUSED =
  'Payments are refused until it takes writes: look at its disk and its log, and whether an operator blocked writes.';

/** Checks writes by two that change nothing. The first is acknowledged like any other: it waits for the majority. */
export const checkWrites: Check<ExaminedDatabase> = async ({ database }) => {
  const startedMs = performance.now();
  const nothing = { _id: 'doctor' } as never;
  try {
    await database
      .collection(INSTALLATION)
      .updateOne(nothing, { $set: { claimedAt: new Date(0) } }, { upsert: false, writeConcern: durable });
    const ms = Math.round(performance.now() - startedMs);
    // A server that is no replica set has no transactions, and another check says so.
    if ((await sayHello(database)).setName !== undefined) await insertNothing(database);
    return [writes.ok(`acknowledged by a majority, with journal, in ${ms} ms`)];
  } catch (error) {
    return [writes.wrong(databaseProblem(error) ?? `MongoDB refused: ${reasonOf(error)}`, REFUSED)];
  }
};

export const checkIndexes: Check<ExaminedDatabase> = async ({ database }) => {
  const count = await countMissingIndexes(database);
  if (count === 0) return [indexes.ok('all there')];
  const todo = 'Start one process of this release: it makes them. Where one does so already, wait for it.';
  return [indexes.missing(`${count} are not there`, todo)];
};

export const checkEnvironment: Check<ExaminedDatabase> = async (examined) => {
  const claimed = await readEnvironment(examined.database);
  if (claimed === undefined) return [environment.notice('the database was not used yet', 'The first start decides.')];
  if (claimed === examined.environment) return [environment.ok(`the database belongs to ${claimed}`)];
  const found = `the database belongs to ${claimed}, the settings say ${examined.environment}`;
  return [environment.wrong(found, 'Name another database in MONGODB_URI, or change GATEWAY_ENVIRONMENT.')];
};

export const checkClock: Check<ExaminedDatabase> = async ({ database }) => {
  const { timeMs } = await database.readClock();
  const offsetMs = Math.round(Date.now() - timeMs);
  const found = `${Math.abs(offsetMs)} ms ${offsetMs < 0 ? 'behind' : 'ahead of'} MongoDB`;
  if (Math.abs(offsetMs) <= limits.clockOffsetMaxMs) return [clocks.ok(found)];
  return [clocks.wrong(found, 'Synchronize both by NTP: production does not start so.')];
};
