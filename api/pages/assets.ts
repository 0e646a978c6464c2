/** Style sheets, scripts and pictures of the pages: read once, named by what they hold, so that a browser may keep them. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { limits } from '../../config/limits.js';

const contentTypes = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
} as const;

/** The digest of a script or style sheet as browsers check it (Subresource Integrity). */
export const integrityOf = (bytes: Buffer | string): string =>
  `sha384-${createHash('sha384').update(bytes).digest('base64')}`;

export interface Asset {
  readonly name: string;
  /** Path under the origin; changes with the bytes. */
  readonly path: string;
  readonly contentType: string;
  /** Digest of the bytes, by which a browser refuses others (SRI). */
  readonly integrity: string;
  readonly bytes: Buffer;
  /** The same, for browsers that take Brotli. */
  readonly compressed: Buffer;
}

/** They are beside this file; a built program, two folders below the checkout, finds them beside its source. */
function folder(): URL {
  const here = new URL('./assets/', import.meta.url);
  return existsSync(here) ? here : new URL('../../api/pages/assets/', import.meta.url);
}

function read(name: string): Asset {
  const contentType = (contentTypes as Readonly<Record<string, string>>)[extname(name)];
  if (!contentType) throw new Error(`${name} is of no type that pages are made of`);
  const bytes = readFileSync(new URL(name, folder()));
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, limits.assetDigestLength);
  return {
    name,
    path: `/assets/${digest}/${name}`,
    contentType,
    integrity: integrityOf(bytes),
    bytes,
    compressed: brotliCompressSync(bytes),
  };
}

let loaded: ReadonlyMap<string, Asset> | undefined;

/** All of them by name. Files are read at the first call. */
export function assets(): ReadonlyMap<string, Asset> {
  loaded ??= new Map(
    readdirSync(folder()).map((name) => {
      const asset = read(name);
      return [name, asset];
    }),
  );
  return loaded;
}

/** An asset, for views. @throws {Error} when there is none: a view names what does not exist. */
export function assetOf(name: string): Asset {
  const asset = assets().get(name);
  if (!asset) throw new Error(`there is no asset ${name}`);
  return asset;
}

/** Path of an asset, for views. @throws {Error} when there is none. */
export const assetPath = (name: string): string => assetOf(name).path;
