/**
 * Style sheets, scripts and pictures of the pages: read once, with a digest of their content in the path, so that browsers may cache
 * them.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, extname } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { limits } from '../../config/limits.js';
import type { ServedFile } from './http/send-file.js';

const contentTypes = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
} as const;

/** Returns the digest of a script or style sheet as browsers check it (Subresource Integrity). */
export const integrityOf = (bytes: Buffer | string): string =>
  `sha384-${createHash('sha384').update(bytes).digest('base64')}`;

export interface Asset extends ServedFile {
  readonly name: string;
  /** Path under the origin; changes with the bytes. */
  readonly path: string;
  /** Digest of the bytes: a browser refuses any other bytes (SRI). */
  readonly integrity: string;
}

/** Returns the folder of the assets: beside this file, or for a built program (two folders below the checkout) beside the source. */
function folder(): URL {
  const here = new URL('./assets/', import.meta.url);
  return existsSync(here) ? here : new URL('../../api/pages/assets/', import.meta.url);
}

const contentTypeOf = (name: string): string | undefined =>
  (contentTypes as Readonly<Record<string, string>>)[extname(name)];

const PATH = new RegExp(`^/assets/[\\w-]{${limits.assetDigestLength}}/[a-z][a-z0-9-]*\\.[a-z]+$`);

/** Whether the path may be that of an asset, of this release or another one. */
export const isAssetPath = (path: string): boolean => PATH.test(path) && contentTypeOf(path) !== undefined;

/** @throws {Error} when the name is not that of an asset */
export function assetOfBytes(path: string, bytes: Buffer): Asset {
  const name = basename(path);
  const contentType = contentTypeOf(name);
  if (!contentType) throw new Error(`${name} is of no type that pages are made of`);
  let compressed: Buffer | undefined;
  return {
    name,
    path,
    contentType,
    integrity: integrityOf(bytes),
    bytes,
    // Not before a browser asks for it: all of them take a tenth of a second, by which a start would be later.
    get compressed() {
      compressed ??= brotliCompressSync(bytes);
      return compressed;
    },
  };
}

function read(name: string): Asset {
  const bytes = readFileSync(new URL(name, folder()));
  const digest = createHash('sha256').update(bytes).digest('base64url').slice(0, limits.assetDigestLength);
  return assetOfBytes(`/assets/${digest}/${name}`, bytes);
}

let loaded: ReadonlyMap<string, Asset> | undefined;

/** Returns all assets by name. The first call reads the files. */
export function assets(): ReadonlyMap<string, Asset> {
  loaded ??= new Map(
    readdirSync(folder()).map((name) => {
      const asset = read(name);
      return [name, asset];
    }),
  );
  return loaded;
}

/** Returns an asset, for views. @throws {Error} when it does not exist: the view has a wrong name. */
export function assetOf(name: string): Asset {
  const asset = assets().get(name);
  if (!asset) throw new Error(`there is no asset ${name}`);
  return asset;
}

/** Returns the path of an asset, for views. @throws {Error} when it does not exist. */
export const assetPath = (name: string): string => assetOf(name).path;
