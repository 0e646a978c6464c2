/** Holds every answer of a pipeline test against the published schema of its endpoint and status. */
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bySpecificity } from '../../api/http/mount-endpoint.js';
import { endpoints } from '../../api/routes.js';
import { type Check, publishedDocument, publishedSchemas } from '../contract/published-schema.js';

const published = publishedSchemas(publishedDocument());
/** Compiling a schema takes longer than a request. */
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

/** `<operationId> <status>` of every answer that was looked at by this jest worker. */
const seen = new Set<string>();

/**
 * Leaves what was seen for the end of the run, which names documented statuses that no test met
 * (scripts/setup/documented-statuses.mjs).
 */
export async function keepSeenStatuses(): Promise<void> {
  const folder = process.env.SEEN_STATUSES_FOLDER;
  if (!folder || seen.size === 0) return;
  await mkdir(folder, { recursive: true });
  await appendFile(join(folder, `${process.pid}.txt`), `${[...seen].join('\n')}\n`);
  seen.clear();
}

/** What the published schema has against an answer; empty when nothing. What is no JSON is only taken note of. */
export function schemaProblems(
  method: string,
  url: string,
  { status, body }: { readonly status: number; readonly body: unknown },
): string[] {
  const endpoint = endpointOf(method, url);
  // A path or method that the API does not have is answered by the machinery, which test/http looks at.
  if (!endpoint) return [];
  const key = `${endpoint.operationId} ${status}`;
  seen.add(key);
  if (typeof body === 'string') return [];
  const check = checks.get(key) ?? published.response(endpoint, status);
  checks.set(key, check);
  return check(body);
}
