/** Problems that production finds in the addresses of MongoDB and Redis: all payments pass through both. */
import { ConnectionString } from 'mongodb-connection-string-url';
import type { Config } from './config.js';
import { readRedisAddress } from './redis-address.js';

type StoreConfig = Partial<Pick<Config, 'mongodbUri' | 'redisUrl' | 'allowInsecureStores'>>;

/** What an address lacks, as part of a sentence. */
type Lack = 'credentials' | 'credentials of its sentinels' | 'TLS';

/** Ways to sign in at MongoDB without a password in the address. */
const OTHER_SIGN_INS = new Set(['MONGODB-X509', 'MONGODB-AWS', 'MONGODB-OIDC']);
/** TLS that accepts any certificate does not stop a man in the middle. */
const UNCHECKED_TLS = ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames'];

function lacksOfMongodb(text: string): Lack[] {
  const address = new ConnectionString(text);
  const option = (name: string) => address.searchParams.get(name) ?? undefined;
  const tls = option('tls') ?? option('ssl') ?? String(address.isSRV);
  const unchecked = UNCHECKED_TLS.some((name) => option(name) === 'true');
  const signsIn =
    (address.username !== '' && address.password !== '') || OTHER_SIGN_INS.has(option('authMechanism') ?? '');
  return [...(signsIn ? [] : (['credentials'] as const)), ...(tls === 'true' && !unchecked ? [] : (['TLS'] as const))];
}

/** Returns what an address of Redis lacks. An attacker who controls a sentinel decides which server is the master. */
function lacksOfRedis(text: string): Lack[] {
  const address = readRedisAddress(text);
  if (typeof address === 'string') return [];
  const openSentinels = address.kind === 'sentinel' && !address.sentinelPassword;
  return [
    ...(address.password ? [] : (['credentials'] as const)),
    ...(openSentinels ? (['credentials of its sentinels'] as const) : []),
    ...(address.tls ? [] : (['TLS'] as const)),
  ];
}

const redisForms: Readonly<Record<string, string>> = {
  single: 'rediss://:password@host:6379',
  sentinel: 'rediss+sentinel://:password@host1,host2,host3/name?sentinelPassword=password',
  cluster: 'rediss+cluster://:password@host1,host2,host3',
};

function redisForm(text = ''): string {
  const address = readRedisAddress(text);
  return redisForms[typeof address === 'string' ? 'single' : address.kind] ?? '';
}

const listed = (lacks: readonly Lack[]) => new Intl.ListFormat('en').format(lacks);

/** Returns nothing for an address that could not be parsed: other checks report that. */
function lacksOf(read: (text: string) => Lack[], text: string | undefined): Lack[] {
  try {
    return text === undefined ? [] : read(text);
  } catch {
    return [];
  }
}

/**
 * Returns one sentence per address without credentials or without TLS that checks certificates, unless ALLOW_INSECURE_STORES says that a
 * private network protects both. An address is never repeated: it may hold a password.
 */
export function storeProblems({ mongodbUri, redisUrl, allowInsecureStores }: StoreConfig): string[] {
  if (allowInsecureStores) return [];
  const stores = [
    ['MONGODB_URI', lacksOf(lacksOfMongodb, mongodbUri), 'mongodb://user:password@host/database?tls=true'],
    ['REDIS_URL', lacksOf(lacksOfRedis, redisUrl), redisForm(redisUrl)],
  ] as const;
  return stores
    .filter(([, lacks]) => lacks.length > 0)
    .map(
      ([name, lacks, form]) =>
        `${name} is without ${listed(lacks)}, which production refuses: use ${form}, or set ` +
        'ALLOW_INSECURE_STORES=true when both servers are in a private network',
    );
}
