/** Reads the file about the sandbox of this machine, which `npm start` writes. */
import { readFile } from 'node:fs/promises';
import type { Request } from 'express';
import type { Config } from '../../../config/index.js';
import { isLoopbackAddress } from '../../http/loopback.js';
import type { SandboxFile } from './sandbox-file.js';

type SandboxConfig = Pick<Config, 'environment' | 'sandboxFile' | 'publicBaseUrl'>;

/** Headers that a proxy adds. Its client may be on another machine, and `Host` is what that client sent. */
const FORWARDING = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'via'];

/**
 * Whether credentials may be shown. They are shown only on this machine: the connection must come from it, not through a proxy, and use
 * the public address, so that a page of another site cannot read them through a host name that points to this machine (DNS rebinding).
 */
const isOurs = ({ headers, socket }: Request, { publicBaseUrl }: SandboxConfig): boolean =>
  headers.host === new URL(publicBaseUrl).host &&
  isLoopbackAddress(socket.remoteAddress) &&
  !FORWARDING.some((name) => headers[name] !== undefined);

/** @returns undefined in production, without a sandbox, or when the request does not come from this machine. */
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
