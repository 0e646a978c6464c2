/** Starts MongoDB and Redis for tests, on separate ports and data. */
import { makeMemoryFolder } from './memory-folder.mjs';
import { freePort } from './ports.mjs';
import { mongodbUri, redisUrl, serverPrograms } from './servers.mjs';

const RADIX = 36;

/**
 * Starts both and returns their addresses. It also names the programs, for suites that kill or flush servers of their own
 * (test/support/own-servers.ts).
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {Awaited<ReturnType<typeof import('./prepare.mjs').prepare>>} binaries
 * @param {string} data folder that does not exist yet
 * @returns {Promise<NodeJS.ProcessEnv>} variables for the environment of the suites
 */
export async function startTestServers(supervisor, binaries, data) {
  const { mongodb, redis } = binaries;
  const ports = { mongodb: await freePort(), redis: await freePort() };
  makeMemoryFolder(data);
  await Promise.all(Object.values(serverPrograms(binaries, data, ports)).map((program) => supervisor.start(program)));
  return {
    MONGODB_URI: mongodbUri(ports.mongodb, 'test'),
    REDIS_URL: redisUrl(ports.redis),
    TEST_RUN_ID: Date.now().toString(RADIX),
    ...(mongodb && { MONGOD_BIN: mongodb.binary }),
    ...(redis && { REDIS_SERVER_BIN: redis.binary, TEST_REDIS_LD_LIBRARY_PATH: redis.env.LD_LIBRARY_PATH ?? '' }),
  };
}
