/** The sandbox of this machine, as `npm start` wrote it down. */
import { readFile } from 'node:fs/promises';
import type { Request } from 'express';
import type { Config } from '../../../config/index.js';
import { isLoopbackAddress } from '../../http/loopback.js';
import type { SandboxFile } from './sandbox-file.js';

type SandboxConfig = Pick<Config, 'environment' | 'sandboxFile' | 'publicBaseUrl'>;

/** What a proxy adds: its client is not on this machine, and `Host` is what that one wrote. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Credentials are shown to this machine only: the connection comes from it, not through a proxy, and under the public address,
 * so that a page of another site cannot read them through a host name that points to this machine (DNS rebinding).
 */
const isOurs = ({ headers, socket }: Request, { publicBaseUrl }: SandboxConfig): boolean =>
  headers.host === new URL(publicBaseUrl).host &&
  isLoopbackAddress(socket.remoteAddress) &&
  !FORWARDING.some((name) => headers[name] !== undefined);

/** @returns undefined in production, where there is no sandbox, or where the request did not come from this machine. */
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
