import type { DemoCall } from './demos.js';
import type { SandboxFile } from './sandbox-file.js';

/**
 * The call as a command for a shell. The shell puts the time into each `<time>` of the body, so that it can be run again: a
 * reference is used once.
 */
export function curlOf({ baseUrl, clientId, apiKey }: SandboxFile, { method, path, body }: DemoCall): string {
  const quoted = JSON.stringify(body, undefined, 2).replaceAll("'", "'\\''").replaceAll('<time>', `'$(date +%s)'`);
  const verb = method === undefined ? '' : ` -X ${method}`;
  return `curl${verb} -u '${clientId}:${apiKey}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted}' \\\n  ${baseUrl}${path}`;
}
