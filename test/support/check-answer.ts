/** Checks every answer of a pipeline test against the published schema of its endpoint and status. */
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Endpoint } from '../../api/http/define-endpoint.js';
import { bySpecificity } from '../../api/http/mount-endpoint.js';
import { errorCodesOfEndpoint } from '../../api/http/to-openapi.js';
import { endpoints } from '../../api/routes.js';
import { type Check, publishedDocument, publishedSchemas } from '../contract/published-schema.js';

const published = publishedSchemas(publishedDocument());
/** Compiled schemas: compiling one takes longer than a request. */
const checks = new Map<string, Check>();
const sorted = [...endpoints].sort((a, b) => bySpecificity(a.path, b.path));

function endpointOf(method: string, url: string) {
  const segments = url.replace(/\?.*$/, '').split('/');
  return sorted.find(({ method: own, path }) => {
    const pattern = path.split('/');
    if (own !== method.toLowerCase() || pattern.length !== segments.length) return false;
    return pattern.every((part, index) => part.startsWith(':') || part === segments[index]);
  });
}

/** `<operationId> <status>` of every answer that this jest worker checked. */
const metStatuses = new Set<string>();

/**
 * Writes what was seen to a file for the end of the run, which names documented statuses that no test met
 * (scripts/setup/documented-statuses.mjs).
 */
export async function writeMetStatuses(): Promise<void> {
  const folder = process.env.SEEN_STATUSES_FOLDER;
  if (!folder || metStatuses.size === 0) return;
  await mkdir(folder, { recursive: true });
  await appendFile(join(folder, `${process.pid}.txt`), `${[...metStatuses].join('\n')}\n`);
  metStatuses.clear();
}

/** Returns how an answer violates the published schema, empty when it does not. An answer that is not JSON only counts as seen. */
export function schemaProblems(
  method: string,
  url: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): string[] {
  const endpoint = endpointOf(method, url);
  // The machinery answers a path or method that the API does not have. test/http checks that.
  if (!endpoint) return [];
  const key = `${endpoint.operationId} ${status}`;
  metStatuses.add(key);
  if (typeof body === 'string') return [];
  const check = checks.get(key) ?? published.response(endpoint, status);
  checks.set(key, check);
  return [...check(body), ...codeProblems(endpoint, body)];
}

/** Returns that an error has a code which the endpoint does not publish, empty when it does not. */
function codeProblems(endpoint: Endpoint, body: unknown): string[] {
  const code = body !== null && typeof body === 'object' && 'traceId' in body && 'code' in body ? body.code : undefined;
  const publishes = code === undefined || errorCodesOfEndpoint(endpoint).some((one) => one === code);
  return publishes ? [] : [`${endpoint.operationId} does not publish the code ${code}`];
}

/** Returns how the body of a callback violates the published schema, empty when it does not. */
export function callbackProblems(body: object): string[] {
  const name = 'payment' in body ? 'paymentLinkPaid' : 'occurredAt' in body ? 'tokenizationEnded' : 'paymentChanged';
  const check = checks.get(name) ?? published.callback(name);
  checks.set(name, check);
  return check(body).map((problem) => `the callback ${name}: ${problem}`);
}
