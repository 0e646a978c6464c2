/** Under which address a logo is served: it names the bytes, so that browsers may keep them for ever. */
import { createHash } from 'node:crypto';
import type { ImageType } from './image/image.js';

/** 128 bits tell pictures apart. */
const HASH_LENGTH = 32;
const LOGO_FILE = new RegExp(`^([0-9a-f]{${HASH_LENGTH}})\\.(png|jpg|webp)$`);

const formats = {
  png: { contentType: 'image/png', extension: 'png' },
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  webp: { contentType: 'image/webp', extension: 'webp' },
} as const satisfies Record<ImageType, { contentType: string; extension: string }>;

export interface LogoFile {
  readonly hash: string;
  readonly contentType: string;
  /** Path of ours. */
  readonly path: string;
}

/** @param bytes as they are served. */
export function logoFileOf(merchantId: number, type: ImageType, bytes: Uint8Array): LogoFile {
  const { contentType, extension } = formats[type];
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH);
  return { hash, contentType, path: `/v1/public/merchants/${merchantId}/logo/${hash}.${extension}` };
}

/** The hash that the last part of a path names, and the type it says; undefined when it names no logo. */
export function readLogoFile(file: string): { readonly hash: string; readonly contentType: string } | undefined {
  const [, hash, extension] = LOGO_FILE.exec(file) ?? [];
  const format = Object.values(formats).find((known) => known.extension === extension);
  return hash !== undefined && format ? { hash, contentType: format.contentType } : undefined;
}
