import { limits } from '../../../config/limits.js';
import { parseRedisAddress, type RedisAddress } from '../../../config/redis-address.js';
import { settings } from '../../../config/schema.js';
import { createLog } from '../../../shared/log.js';
import { evictionPolicyOf, evictionTodo, evicts, infoField } from '../../../shared/queue/eviction.js';
import { createProducerRedis, mastersOf, nodeOf, type Redis } from '../../../shared/queue/redis.js';
import { refusesCertificate } from '../../../shared/store/database.js';
import { checkRedisUse, refusalOf } from './check-redis-use.js';
import type { Check } from './examined.js';
import { type Finding, findingsOf } from './finding.js';
import { refusedCertificate } from './refused-certificate.js';

const DOCS = 'docs/production.md#redis';

/** A Redis that uses this share of its maxmemory is reported as nearly full. */
const NEARLY_FULL = 0.8;
const percent = new Intl.NumberFormat('en', { style: 'percent' });

/** Judges whether Redis accepts writes: under noeviction a full Redis refuses new data, and so does one that cannot write its files. */
function judgeWrites(info: string, { wrong, notice }: ReturnType<typeof findingsOf>): Finding[] {
  const found: Finding[] = [];
  const numberOf = (name: string) => Number(infoField(info, name) ?? 0);
  const max = numberOf('maxmemory');
  // Redis leaves the buffers of its replicas and files out of this comparison too.
  const used = max > 0 ? (numberOf('used_memory') - numberOf('mem_not_counted_for_evict')) / max : 0;
  const share = `${percent.format(Math.min(1, used))} of maxmemory are used`;
  const todo =
    'Raise maxmemory, or remove what else is stored there: payments wait for the sweep while it takes nothing.';
  if (used >= 1) found.push(wrong(`it takes nothing new: ${share}`, todo));
  else if (used >= NEARLY_FULL) found.push(notice(share, todo));
  if (infoField(info, 'aof_last_write_status') === 'err') {
    found.push(wrong('it cannot write its append-only file, and takes nothing new', 'Make room on its disk.'));
  }
  return found;
}

/** Servers that take no nudges, found where REDIS_URL names a single Redis. */
const otherModes: Readonly<Record<string, readonly [found: string, todo: string]>> = {
  sentinel: ['it is a sentinel, which keeps nothing', 'Write redis+sentinel://host1,host2,host3/name in REDIS_URL.'],
  cluster: ['it is a node of a cluster', 'Write redis+cluster://host1,host2,host3 in REDIS_URL.'],
};

/**
 * @param info output of INFO; a hosted Redis may omit parts of it, and refuses CONFIG anyway
 * @param of which server it is, when there are several
 * @param needsReplica the server is one of several, which take over from one another
 */
export function judgeRedis(info: string, of = '', needsReplica = false): Finding[] {
  const findings = findingsOf(`redis${of}`, DOCS);
  const { ok, wrong, notice } = findings;
  const otherMode = needsReplica ? undefined : otherModes[infoField(info, 'redis_mode') ?? ''];
  if (otherMode) return [wrong(...otherMode)];
  const found: Finding[] = judgeWrites(info, findings);
  const policy = evictionPolicyOf(info);
  const version = infoField(info, 'redis_version') ?? 'of an unknown release';
  if (policy === undefined)
    found.push(notice('it does not say its maxmemory-policy', 'See to it that it is noeviction.'));
  else if (evicts(policy)) found.push(wrong(`maxmemory-policy is ${policy}`, evictionTodo));
  else found.push(ok(`Redis ${version}, maxmemory-policy noeviction`));
  if (infoField(info, 'aof_enabled') === '1') found.push(ok('append-only file on'));
  else {
    const todo = 'Set appendonly yes. A restart loses nothing but time without it: MongoDB alone holds payments.';
    found.push(wrong('no append-only file', todo));
  }
  if (needsReplica && infoField(info, 'connected_slaves') === '0') {
    found.push(wrong('no replica is connected to this master', 'Start one: nothing takes over from it now.'));
  }
  return found;
}

function ready(redis: Redis): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('no answer')), limits.doctorConnectMs);
    const settle = (done: () => void) => () => {
      clearTimeout(timer);
      done();
    };
    redis.once('ready', settle(resolve));
    redis.once('error', (error) => settle(() => reject(error))());
  });
}

const UNUSED = 'Without it everything works, slower.';
const OWN_AUTHORITY =
  'If the certificate authority is your own, name its file in NODE_EXTRA_CA_CERTS; otherwise correct the certificate or REDIS_URL.';
const OTHER_TLS = 'rediss:// is for servers that speak TLS, redis:// for those that do not';

/** Returns the last error of a server: with several servers the client passes that on inside its own error. */
function lastProblem(error: unknown) {
  type Said = Partial<NodeJS.ErrnoException> & { readonly lastNodeError?: Error };
  const { code, message = '', lastNodeError } = (error ?? {}) as Said;
  const bySentinel = /^All sentinels are unreachable\b.*? Last error: (.*)$/s.exec(message)?.[1];
  return { code, bySentinel, text: bySentinel ?? lastNodeError?.message ?? message };
}

/** Replies that show a server of another kind than the address says. */
const misplaced: readonly (readonly [RegExp, found: string, todo: string])[] = [
  [/^ERR No such master/, 'its sentinels watch no master of this name', 'Correct the name in REDIS_URL.'],
  [/^ERR unknown command .?sentinel/i, 'it is no sentinel', 'Name the sentinels in REDIS_URL, with their port.'],
  [/^ERR .*cluster support disabled/, 'it is no cluster', 'Write redis:// or redis+sentinel:// in REDIS_URL.'],
];

/**
 * Describes why a Redis cannot be used: its refusal (`WRONGPASS`), a code of the system (`ECONNREFUSED`), or no answer.
 * @param certificate the error of a server whose certificate is not accepted, where the client says only that connections end
 */
export function judgeUnusable(error: unknown, of = '', certificate?: NodeJS.ErrnoException): Finding {
  const said = lastProblem(error);
  const { bySentinel } = said;
  const { code, text } = certificate ? { code: certificate.code, text: certificate.message } : said;
  const { wrong } = findingsOf(`redis${of}`, DOCS);
  const [, found, todo] = misplaced.find(([reply]) => reply.test(text)) ?? [];
  if (found !== undefined && todo !== undefined) return wrong(found, todo);
  const refused = refusalOf(text);
  if (code === undefined && refused !== undefined) {
    return bySentinel === undefined
      ? wrong(`Redis refuses: ${refused}`, 'Correct user and password in REDIS_URL, or the rights of the user.')
      : wrong(`its sentinels refuse: ${refused}`, 'Correct sentinelUsername and sentinelPassword in REDIS_URL.');
  }
  const who = bySentinel === undefined ? 'Redis does not answer' : 'none of its sentinels answers';
  if (refusesCertificate(text)) {
    return wrong(`${who}: ${code ?? 'its certificate is not accepted'}`, `${OWN_AUTHORITY} ${UNUSED}`);
  }
  return wrong(`${who}: ${code ?? 'no answer in time'}`, `Start it, or correct REDIS_URL (${OTHER_TLS}). ${UNUSED}`);
}

/** Asks the servers of the address themselves: with several servers the client does not pass on why TLS with them ends. */
async function certificateProblem(address: RedisAddress) {
  if (address.kind === 'single' || !address.tls) return undefined;
  return refusedCertificate(address.kind === 'cluster' ? address.nodes : address.sentinels);
}

export const checkRedis: Check = async ({ config }) => {
  if (config.redisUrl === undefined) return [];
  const address = parseRedisAddress(config.redisUrl);
  const redis = createProducerRedis(config.redisUrl, createLog('doctor', 'silent'));
  try {
    await ready(redis);
    const judged = mastersOf(redis).map(async (master) => {
      const { host, port } = nodeOf(redis, master);
      const of = host === undefined ? '' : ` ${host}:${port}`;
      try {
        return judgeRedis(await master.info(), of, address.kind !== 'single');
      } catch (error) {
        return [judgeUnusable(error, of)];
      }
    });
    const used = checkRedisUse(config.redisUrl, config.redisPrefix ?? settings.redisPrefix.default);
    return [...(await Promise.all(judged)).flat(), ...(await used)];
  } catch (error) {
    return [judgeUnusable(error, '', await certificateProblem(address))];
  } finally {
    redis.disconnect();
  }
};
