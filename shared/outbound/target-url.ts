/** Which URLs callbacks may be sent to, as far as the text tells (docs/security.md#callback-urls). Names are resolved when dialled. */
import { isIP } from 'node:net';
import { limits } from '../../config/limits.js';
import { isPermitted } from './address-rules.js';
import { parseUrl } from './parse-url.js';

export interface TargetRules {
  readonly environment: 'testing' | 'production';
  readonly allowPrivateNetworks: boolean;
}

/** Ports of databases, caches and container engines: a POST to one of them is never a callback. */
const foreignPorts: ReadonlySet<number> = new Set([2375, 2376, 3306, 5432, 5672, 6379, 9200, 11211, 27017]);
const firstFreePort = 1024;
const PORT_PROBLEM = `must name port 443, or one from ${firstFreePort} to 65535 but ${[...foreignPorts].join(', ')}`;

const innerDomains = ['.local', '.internal', '.localhost'];

function schemeProblem(url: URL, rules: TargetRules): string | undefined {
  return url.protocol !== 'https:' && rules.environment === 'production' ? 'must be an https URL' : undefined;
}

function portProblem(url: URL): string | undefined {
  // The URL parser leaves the port empty when it is the default port of the scheme.
  if (url.port === '' || url.port === '443') return undefined;
  const port = Number(url.port);
  return port < firstFreePort || foreignPorts.has(port) ? PORT_PROBLEM : undefined;
}

function hostProblem(url: URL, rules: TargetRules): string | undefined {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  if (host === '') return 'must name a host';
  if (isIP(host) !== 0) return isPermitted(host, rules) ? undefined : 'must name a public address';
  if (rules.allowPrivateNetworks) return undefined;
  if (!host.includes('.') || innerDomains.some((domain) => host.endsWith(domain))) return 'must name a public host';
  return undefined;
}

/** Whitespace and control characters (the URL parser drops some silently) and backslashes (it reads them as slashes). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const treacherous = /[\u0000-\u0020\u007f-\u00a0\u2028\u2029\\]/;

/**
 * Characters of host names and IP addresses. The URL parser also accepts `*`, `;`, `,` and quotes, which have a meaning in the
 * policies in which pages name origins.
 */
const plainHost = /^([a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/**
 * Returns what is wrong with a URL for any use, without repeating it, or `undefined`: it is too long, is not absolute, is not http or
 * https, has credentials, or has characters that two parsers read differently.
 */
export function webUrlProblem(text: string): string | undefined {
  if (text.length > limits.urlLengthMax) return `must have at most ${limits.urlLengthMax} characters`;
  const url = treacherous.test(text) ? undefined : parseUrl(text);
  if (!url) return 'must be an absolute URL';
  const { protocol, username, password } = url;
  if (protocol !== 'https:' && protocol !== 'http:') return 'must be an http or https URL';
  if (username !== '' || password !== '') return 'must not contain a user name or password';
  return plainHost.test(url.hostname) ? undefined : 'must name a host';
}

/**
 * Checks the URL of a callback before it is stored, and again before it is used.
 * @returns what is wrong, without repeating the URL, or `undefined`.
 */
export function checkTargetUrl(text: string, rules: TargetRules): string | undefined {
  const problem = webUrlProblem(text);
  if (problem !== undefined) return problem;
  const url = new URL(text);
  return schemeProblem(url, rules) ?? portProblem(url) ?? hostProblem(url, rules);
}
