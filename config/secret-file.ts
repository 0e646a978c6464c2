/** Secrets in files, as orchestrators mount them: `<NAME>_FILE` names the file that holds the value of `<NAME>`. */
import { readFileSync, statSync } from 'node:fs';
import { fileProblem } from './file-problem.js';
import { startLimits } from './start-limits.js';

/**
 * Returns the value of a variable, which counts as absent when it is empty. White space around it is ignored, as in files: a secret that
 * was made with `echo` ends with a line break, and platforms hand it over as it is.
 */
export const textOf = (env: NodeJS.ProcessEnv, name: string): string | undefined => env[name]?.trim() || undefined;

/**
 * Reads a secret from its variable or its file. The result `{ problem }` repeats neither value nor path: the secret may have been put in
 * place of the path.
 * @param name of the variable, such as `DIGEST_KEY`
 */
export function readSecret(env: NodeJS.ProcessEnv, name: string): { text: string | undefined } | { problem: string } {
  const [path, value] = [textOf(env, `${name}_FILE`), textOf(env, name)];
  if (path === undefined) return { text: value };
  if (value !== undefined) return { problem: `${name} and ${name}_FILE are both set: keep one of them` };
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
