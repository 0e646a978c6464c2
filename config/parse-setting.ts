/** Parses the value of a setting by its kind. A function that returns a text says by it what is wrong. */
import type { MasterKey } from './config.js';
import { ENCODE, hasReadableUser } from './decoded.js';
import { limits } from './limits.js';
import { mongodbProblem } from './mongodb-address.js';
import { parseOrigins } from './origins.js';
import { parseProxies } from './proxies.js';
import { readRedisAddress } from './redis-address.js';
import type { Setting } from './setting.js';

const KEY_BYTES_MIN = 32;
/** A random 32-byte key has about 30 distinct byte values; all zeros, a repeated letter or `0123…` have fewer than this. */
const KEY_DISTINCT_BYTES_MIN = 16;

function parseKey(text: string): Buffer | string {
  // Node stops reading at the padding: of two keys the second would be left out.
  if (/=\s*[^=\s]/.test(text))
    return 'is one key in base64, and has something behind its end (=) that would not be used';
  const key = Buffer.from(text, 'base64');
  if (key.length < KEY_BYTES_MIN) return `must be base64 of at least ${KEY_BYTES_MIN} bytes`;
  if (new Set(key).size < KEY_DISTINCT_BYTES_MIN)
    return 'is weak: use random bytes, for example `openssl rand -base64 32`';
  return key;
}

function parseMasterKeys(text: string): readonly MasterKey[] | string {
  const keys: MasterKey[] = [];
  for (const part of text.split(',')) {
    const at = part.indexOf(':');
    const id = part.slice(0, at).trim();
    if (at < 1 || !/^[A-Za-z0-9_-]{1,32}$/.test(id)) return 'must be a list of id:base64(32 bytes)';
    const key = parseKey(part.slice(at + 1));
    if (typeof key === 'string') return `key ${id} ${key}`;
    if (key.length !== KEY_BYTES_MIN) return `key ${id} must be exactly ${KEY_BYTES_MIN} bytes`;
    if (keys.some((known) => known.id === id)) return `key id ${id} is repeated`;
    keys.push({ id, key });
  }
  return keys;
}

function parseInteger(text: string, { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER }: Setting) {
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= min && value <= max ? value : `must be an integer from ${min} to ${max}`;
}

function parseUrl(text: string): { value: string } | { problem: string } {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    return { problem: 'must be an http or https address' };
  }
  return hasReadableUser(new URL(text)) ? { value: text.replace(/\/+$/, '') } : { problem: ENCODE };
}

const HTTPS_ADDRESS = `must be an https address without user name, of at most ${limits.pageAddressLengthMax} characters`;

/** Checks an address to which a payer is sent; the address is used as it was written. */
function httpsProblem(text: string): string | undefined {
  if (text.length > limits.pageAddressLengthMax || !URL.canParse(text)) return HTTPS_ADDRESS;
  const { protocol, username, password } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' ? undefined : HTTPS_ADDRESS;
}

/** Whether a text is one line that can be shown to people. */
const isName = (text: string): boolean =>
  text.trim() !== '' && text.length <= limits.operatorNameLengthMax && !/\p{C}/u.test(text);

/** Some readers of files with settings keep the quotes around a value, as `docker run --env-file` does. */
const IN_QUOTES = /^(["']).*\1$/s;
const QUOTES = 'is in quotes, which would be a part of it: write it without them';

/** Parses one value; the result `{ problem }` says what is wrong without repeating the value. */
export function parseSetting(setting: Setting, text: string): { value: unknown } | { problem: string } {
  if (IN_QUOTES.test(text)) return { problem: QUOTES };
  const settle = (result: unknown) => (typeof result === 'string' ? { problem: result } : { value: result });
  switch (setting.kind) {
    case 'integer':
      return settle(parseInteger(text, setting));
    case 'boolean':
      return /^(true|false)$/.test(text) ? { value: text === 'true' } : { problem: 'must be true or false' };
    case 'key':
      return settle(parseKey(text));
    case 'keys':
      return settle(parseMasterKeys(text));
    case 'url':
      return parseUrl(text);
    case 'https': {
      const problem = httpsProblem(text);
      return problem === undefined ? { value: text } : { problem };
    }
    case 'name':
      return isName(text)
        ? { value: text.trim() }
        : { problem: `must be one line of 1 to ${limits.operatorNameLengthMax} characters` };
    case 'mongodb': {
      const problem = mongodbProblem(text);
      return problem === undefined ? { value: text } : { problem };
    }
    case 'redis': {
      const read = readRedisAddress(text);
      return typeof read === 'string' ? { problem: read } : { value: text };
    }
    case 'proxies':
      return settle(parseProxies(text));
    case 'origins':
      return settle(parseOrigins(text));
    case 'enum':
      return setting.values?.includes(text)
        ? { value: text }
        : { problem: `must be one of ${setting.values?.join(', ')}` };
    case 'string':
      return { value: text };
  }
}
