/**
 * Assets of other releases. While processes are restarted one by one, a page that one release sent asks a process of another release for
 * its style sheets and scripts. Without them a page is bare, and one that waits for an outcome does so until its payer asks again. So
 * each process keeps its assets in MongoDB when it starts, and finds there those of the others (docs/reliability.md, "Two releases at once").
 */
import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { limits } from '../../config/limits.js';
import type { PageAssetRepository } from '../../shared/store/page-asset.repository.js';
import { type Asset, assetOfBytes, assets, isAssetPath } from './assets.js';

export interface KeptAssets {
  /** Keeps the assets of this process for processes of other releases. */
  keep(): Promise<void>;
  /** Returns an asset of another release. */
  find(path: string): Promise<Asset | undefined>;
}

const KEY_BYTES = 32;
const KEY_INFO = 'payment-gateway page asset HS256';

/**
 * @param digestKey the seals have a key of their own, derived from it (HKDF-SHA-256, RFC 5869): no script that another program wrote into
 *   the database reaches a payer
 * @param own returns the assets of this release
 */
export function createKeptAssets(
  rows: PageAssetRepository,
  digestKey: Uint8Array,
  own: () => Iterable<Asset> = () => assets().values(),
): KeptAssets {
  const key = new Uint8Array(hkdfSync('sha256', digestKey, '', KEY_INFO, KEY_BYTES));
  const sealOf = (path: string, bytes: Uint8Array) =>
    createHmac('sha256', key).update(`${path}\n`).update(bytes).digest('base64url');
  const isSealed = (path: string, bytes: Uint8Array, seal: string) => {
    const [right, stored] = [Buffer.from(sealOf(path, bytes)), Buffer.from(seal)];
    return right.length === stored.length && timingSafeEqual(right, stored);
  };
  const found = new LRUCache<string, Asset>({ max: limits.keptAssetsCached });

  return {
    keep: () => rows.keep([...own()].map(({ path, bytes }) => ({ _id: path, bytes, seal: sealOf(path, bytes) }))),
    async find(path) {
      const cached = found.get(path);
      if (cached || !isAssetPath(path)) return cached;
      const row = await rows.find(path);
      if (!row || !isSealed(path, row.bytes, row.seal)) return undefined;
      const asset = assetOfBytes(path, row.bytes);
      found.set(path, asset);
      return asset;
    },
  };
}
