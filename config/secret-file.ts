/** Secrets in files, as orchestrators mount them: `<NAME>_FILE` names the file that holds the value of `<NAME>`. */
import { readFileSync, statSync } from 'node:fs';
import { fileProblem } from './file-problem.js';
import { startLimits } from './start-limits.js';

/**
 * Reads a secret from its variable or its file. White space around a file's text is ignored, and an empty variable counts as absent. The
 * result `{ problem }` repeats neither value nor path: the secret may have been put in place of the path.
 * @param name of the variable, such as `DIGEST_KEY`
 */
export function readSecret(env: NodeJS.ProcessEnv, name: string): { text: string | undefined } | { problem: string } {
  const path = env[`${name}_FILE`];
  if (!path) return { text: env[name] || undefined };
  if (env[name]) return { problem: `${name} and ${name}_FILE are both set: keep one of them` };
  try {
    const stat = statSync(path);
    if (stat.isFile() && stat.size > startLimits.secretFileBytesMax) {
      return { problem: `${name}_FILE names a file of more than ${startLimits.secretFileBytesMax} bytes` };
    }
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? { problem: `${name}_FILE names an empty file` } : { text };
  } catch (error) {
    return { problem: `${name}_FILE names a file that cannot be read: ${fileProblem(error)}` };
  }
}
