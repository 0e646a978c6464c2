import { ConfigError } from './index.js';

/**
 * Returns the file to which the seed script writes the sandbox's credentials. Only that script needs the path, so this is no setting of the
 * gateway.
 * @throws {ConfigError} when SANDBOX_FILE is not set.
 */
export function loadSandboxFile(env: NodeJS.ProcessEnv = process.env): string {
  const path = env.SANDBOX_FILE;
  if (!path)
    throw new ConfigError(['SANDBOX_FILE is missing: the file that the credentials of the sandbox are written to']);
  return path;
}
