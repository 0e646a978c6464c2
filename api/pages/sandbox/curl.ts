import type { DemoCall } from './demos.js';
import type { SandboxFile } from './sandbox-file.js';

/**
 * Writes the call as a shell command. The shell replaces each `<time>` of the body by the time, so that the command can be run again: a
 * reference can be used only once.
 */
export function curlOf({ baseUrl, clientId, apiKey }: SandboxFile, { method, path, body }: DemoCall): string {
  const quoted = JSON.stringify(body, undefined, 2).replaceAll("'", "'\\''").replaceAll('<time>', `'$(date +%s)'`);
  const verb = method === undefined ? '' : ` -X ${method}`;
  return `curl${verb} -u '${clientId}:${apiKey}' \\\n  -H 'Content-Type: application/json' \\\n  -d '${quoted}' \\\n  ${baseUrl}${path}`;
}
