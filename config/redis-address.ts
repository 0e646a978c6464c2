/**
 * The address of Redis: one server, a master that Sentinel watches, or a cluster. REDIS_URL contains all of it, so that there is one secret
 * to mount in every case.
 */

import { decoded, ENCODE, hasReadableUser } from './decoded.js';

export interface RedisNode {
  readonly host: string;
  readonly port: number;
}

interface Servers {
  readonly username?: string;
  readonly password?: string;
  readonly tls: boolean;
  /** IP version of the addresses to which host names are resolved; 0 is either. */
  readonly family: 0 | 4 | 6;
}

/** `redis://` and `rediss://`: the client reads the text itself, with any option that it knows. */
export interface SingleRedis {
  readonly kind: 'single';
  readonly url: string;
  readonly password: string;
  readonly tls: boolean;
}

/** `redis+sentinel://`: the sentinels name the master. TLS is for both or for neither. */
export interface SentinelRedis extends Servers {
  readonly kind: 'sentinel';
  readonly sentinels: readonly RedisNode[];
  /** Name of the master, as the sentinels know it. */
  readonly name: string;
  readonly database: number;
  readonly sentinelUsername?: string;
  readonly sentinelPassword?: string;
}

/** `redis+cluster://`: some of its nodes; the client learns the others from them. */
export interface ClusterRedis extends Servers {
  readonly kind: 'cluster';
  readonly nodes: readonly RedisNode[];
}

export type RedisAddress = SingleRedis | SentinelRedis | ClusterRedis;

/** A problem, as the rest of a sentence that begins with the setting's name. Never contains a part of the value. */
class Wrong extends Error {}

const FORMS =
  'must be an address such as redis://host:6379 (rediss:// for TLS), redis+sentinel://host1,host2,host3/name or ' +
  'redis+cluster://host1,host2,host3';
const SEVERAL =
  'names several hosts, but not what they are: write redis+sentinel://host1,host2/name or redis+cluster://host1,host2';
const HOSTS = 'has a host that cannot be read: write host or host:port, [::1]:6379 for IPv6, with commas between them';
const NAME = 'must name the master as the sentinels know it: redis+sentinel://host1,host2,host3/mymaster';
const DATABASE = 'has a database that is no number: redis+sentinel://host1,host2,host3/mymaster/0';
const CLUSTER_PATH = 'names a database, and a cluster has one only: end it after the last host';

const PORTS = { sentinel: 26379, cluster: 6379 } as const;
const OPTIONS = {
  sentinel: ['sentinelUsername', 'sentinelPassword', 'family'],
  cluster: ['family'],
} as const;

const PORT_MAX = 65535;
const DATABASE_PATTERN = /^\d{1,4}$/;
const SEVERAL_SERVERS = /^(rediss?)\+(sentinel|cluster):\/\/(?:([^@]*)@)?([^/?#@]*)(\/[^?#]*)?(?:\?([^#]*))?$/;
const NODE = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/;

function decode(text: string): string {
  const plain = decoded(text);
  if (plain === undefined) throw new Wrong(ENCODE);
  return plain;
}

function parseNode(text: string, defaultPort: number): RedisNode {
  const [, address, name, digits] = NODE.exec(text) ?? [];
  const host = address ?? name;
  const port = digits === undefined ? defaultPort : Number(digits);
  if (host === undefined || port < 1 || port > PORT_MAX) throw new Wrong(HOSTS);
  return { host, port };
}

/** Parses `user:password`, `:password`, or nothing. */
function parseUser(text: string | undefined): Pick<Servers, 'username' | 'password'> {
  if (text === undefined) return {};
  // A character that is not encoded may have split the text at the wrong place.
  if (/[/?#]/.test(text)) throw new Wrong(ENCODE);
  const [username = '', ...rest] = text.split(':');
  const password = rest.join(':');
  return {
    ...(username !== '' && { username: decode(username) }),
    ...(password !== '' && { password: decode(password) }),
  };
}

function parseOptions(text: string | undefined, known: readonly string[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (const part of text ? text.split('&') : []) {
    const at = part.indexOf('=');
    const name = at < 0 ? part : part.slice(0, at);
    if (at < 0 || !known.includes(name)) {
      throw new Wrong(`has an option that it does not know: ${known.join(', ')} can be set, as in ?family=6`);
    }
    options.set(name, decode(part.slice(at + 1)));
  }
  return options;
}

function familyOf(text = '0'): 0 | 4 | 6 {
  if (text !== '0' && text !== '4' && text !== '6') throw new Wrong('has an option family that is not 0, 4 or 6');
  return Number(text) as 0 | 4 | 6;
}

function parseSeveral(match: RegExpExecArray): SentinelRedis | ClusterRedis {
  const [, scheme, kind = '', user, hosts = '', path = '', query] = match;
  const options = parseOptions(query, OPTIONS[kind as 'sentinel' | 'cluster']);
  const servers = { ...parseUser(user), tls: scheme === 'rediss', family: familyOf(options.get('family')) };
  const nodes = hosts.split(',').map((text) => parseNode(text, PORTS[kind as 'sentinel' | 'cluster']));
  if (kind === 'cluster') {
    if (path !== '' && path !== '/') throw new Wrong(CLUSTER_PATH);
    return { kind, ...servers, nodes };
  }
  const [name = '', database = '0', ...more] = path.slice(1).split('/');
  if (name === '') throw new Wrong(NAME);
  if (more.length > 0 || !DATABASE_PATTERN.test(database)) throw new Wrong(DATABASE);
  const [sentinelUsername, sentinelPassword] = [options.get('sentinelUsername'), options.get('sentinelPassword')];
  return {
    kind: 'sentinel',
    ...servers,
    sentinels: nodes,
    name: decode(name),
    database: Number(database),
    ...(sentinelUsername && { sentinelUsername }),
    ...(sentinelPassword && { sentinelPassword }),
  };
}

function parseSingle(text: string): SingleRedis {
  if (!/^rediss?:\/\/./.test(text)) throw new Wrong(FORMS);
  if (/^[^/]*\/\/(?:[^/@]*@)?[^/?]*,/.test(text)) throw new Wrong(SEVERAL);
  if (!URL.canParse(text)) throw new Wrong(FORMS);
  const url = new URL(text);
  if (!hasReadableUser(url)) throw new Wrong(ENCODE);
  return { kind: 'single', url: text, password: url.password, tls: url.protocol === 'rediss:' };
}

/** Reads the setting; a text as result says what is wrong with it, without repeating any part of it. */
export function readRedisAddress(text: string): RedisAddress | string {
  const several = SEVERAL_SERVERS.exec(text);
  try {
    if (several) return parseSeveral(several);
    if (/^rediss?\+(sentinel|cluster):/.test(text)) throw new Wrong(/@.*@/.test(text) ? ENCODE : HOSTS);
    return parseSingle(text);
  } catch (error) {
    if (error instanceof Wrong) return error.message;
    throw error;
  }
}

/** Reads a setting that was checked before. @throws {TypeError} when the text is no address. */
export function parseRedisAddress(text: string): RedisAddress {
  const address = readRedisAddress(text);
  if (typeof address === 'string') throw new TypeError(`the address of Redis ${address}`);
  return address;
}

/** Checks the prefix: in a cluster the text in the first braces of a key says on which node it is, and our keys put prefix and queue there. */
export const redisPrefixProblems = ({ redisPrefix = '' }: { readonly redisPrefix?: string | undefined }): string[] =>
  /[{}]/.test(redisPrefix) ? ['REDIS_PREFIX must not hold { or }: they say where in a cluster a key is'] : [];
