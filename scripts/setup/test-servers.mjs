/** MongoDB and Redis for tests, on ports and data of their own. */
import { makeMemoryFolder } from './memory-folder.mjs';
import { freePort } from './ports.mjs';
import { mongodbUri, redisUrl, serverPrograms } from './servers.mjs';

const RADIX = 36;

/**
 * Starts both and says where they are. The programs are named for the suites that kill or flush servers of their own
 * (test/support/own-servers.ts).
 * @param {import('./supervisor.mjs').Supervisor} supervisor
 * @param {Awaited<ReturnType<typeof import('./prepare.mjs').prepare>>} binaries
 * @param {string} data folder that is not there yet
 * @returns {Promise<NodeJS.ProcessEnv>} what the suites find in their environment
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
