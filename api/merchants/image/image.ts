/**
 * Checks an uploaded picture by its bytes alone (docs/security.md#uploaded-pictures). Nothing is decoded: the structure is walked
 * from the first byte to the last. The result is the same picture without anything that a viewer does not need (comments, EXIF,
 * profiles, unknown chunks), so that no text of a stranger is served from our address.
 */
import type { Format, Refusal } from './format.js';
import { jpeg } from './jpeg.js';
import { png } from './png.js';
import { webp } from './webp.js';

export type ImageType = 'png' | 'jpeg' | 'webp';

/** `bytes`: the cleaned file. */
export type Inspection = { readonly type: ImageType; readonly bytes: Uint8Array } | Refusal;

const formats = { png, jpeg, webp } as const satisfies Record<ImageType, Format>;

/** @param sideMax largest width and height (pixels). */
export function inspectImage(bytes: Uint8Array, sideMax: number): Inspection {
  if (bytes.length === 0) return { problem: 'is empty' };
  for (const [type, format] of Object.entries(formats) as [ImageType, Format][]) {
    if (!format.recognizes(bytes)) continue;
    const found = format.read(bytes);
    if ('problem' in found) return found;
    const { width, height } = found;
    if (width < 1 || height < 1) return { problem: 'has no pixels' };
    if (width > sideMax || height > sideMax) return { problem: `must be at most ${sideMax} by ${sideMax} pixels` };
    return { type, bytes: found.bytes };
  }
  return { problem: 'must be a PNG, JPEG or WebP image' };
}
