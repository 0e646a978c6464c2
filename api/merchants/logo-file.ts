/** Address of a logo. It is derived from the bytes, so that browsers may cache the logo for ever. */
import { createHash } from 'node:crypto';
import type { ImageType } from './image/image.js';

/** Hexadecimal digits of the hash: 128 bits are enough to tell pictures apart. */
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
  /** Path on this API. */
  readonly path: string;
}

/** @param bytes the bytes that are served. */
export function logoFileOf(merchantId: number, type: ImageType, bytes: Uint8Array): LogoFile {
  const { contentType, extension } = formats[type];
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, HASH_LENGTH);
  return { hash, contentType, path: `/v1/public/merchants/${merchantId}/logo/${hash}.${extension}` };
}

/** Reads hash and content type from the last part of a path; undefined when it cannot be a logo. */
export function readLogoFile(file: string): { readonly hash: string; readonly contentType: string } | undefined {
  const [, hash, extension] = LOGO_FILE.exec(file) ?? [];
  const format = Object.values(formats).find((known) => known.extension === extension);
  return hash !== undefined && format ? { hash, contentType: format.contentType } : undefined;
}
