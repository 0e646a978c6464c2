/** The sandbox of this machine, as `npm start` wrote it down. */
import { readFile } from 'node:fs/promises';
import type { Request } from 'express';
import type { Config } from '../../../config/index.js';
import type { SandboxFile } from '../../../shared/provisioning/sandbox-file.js';

type SandboxConfig = Pick<Config, 'environment' | 'sandboxFile' | 'publicBaseUrl'>;

/**
 * A page that has a name of its own point to this machine must not read credentials: they are shown under the public address
 * only.
 */
const isOurs = ({ headers }: Request, { publicBaseUrl }: SandboxConfig): boolean =>
  headers.host === new URL(publicBaseUrl).host;

/** @returns undefined in production, where there is no sandbox, or where the request came under another name. */
export async function readSandbox(request: Request, config: SandboxConfig): Promise<SandboxFile | undefined> {
  if (config.environment !== 'testing' || config.sandboxFile === undefined || !isOurs(request, config))
    return undefined;
  try {
    return JSON.parse(await readFile(config.sandboxFile, 'utf8')) as SandboxFile;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
