/** The two files of swagger-ui that are served, compressed once: uncompressed they are almost two megabytes. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import type { RequestHandler } from 'express';
import { limits } from '../../../config/limits.js';
import { GatewayError } from '../../../shared/contract/gateway-error.js';
import { stateOf } from '../../http/request-state.js';
import { type ServedFile, sendFile } from '../http/send-file.js';

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));

/** The only files of the package that are served. */
const contentTypes: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** Compresses the bundle in half a second; the best quality takes ten times as long and saves only a tenth. */
const QUALITY = 6;
const compress = promisify(brotliCompress);

async function read(name: string): Promise<Pick<ServedFile, 'bytes' | 'compressed'>> {
  const bytes = await readFile(join(folder, name));
  return { bytes, compressed: await compress(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } }) };
}

/** Creates a loader that reads a file at its first request, and again after a failure. Simultaneous requests share the result. */
export function createLoader<T>(read: (name: string) => Promise<T>): (name: string) => Promise<T> {
  const loaded = new Map<string, Promise<T>>();
  return (name) => {
    const known = loaded.get(name);
    if (known) return known;
    const reading = read(name).catch((error: unknown) => {
      loaded.delete(name);
      throw error;
    });
    loaded.set(name, reading);
    return reading;
  };
}

const load = createLoader(read);

export const serveSwaggerFile: RequestHandler = async (request, response) => {
  stateOf(response).route = '/reference/files/:name';
  const name = String(request.params['name']);
  const contentType = Object.hasOwn(contentTypes, name) ? contentTypes[name] : undefined;
  if (contentType === undefined) throw new GatewayError('not-found');
  const file = { ...(await load(name)), contentType };
  sendFile(request, response, file, `public, max-age=${limits.assetCacheSeconds}`);
};
